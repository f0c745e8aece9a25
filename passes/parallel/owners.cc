// owners.cc - threads: updates of a matrix whose rows are counted by an inner map are divided among tasks by these rows.
//
//   with_acc [a] op \acc -> map n \x acc -> map m \k .. acc -> .. upd acc [k, ..] v ..
//   ==>
//   if threads <= 1 { the same } else {
//     with_acc none [a] op \acc -> map parts \p acc -> map n \x acc -> map (hi - lo) \k .. acc -> .. upd acc [k, ..] v ..   (k from lo)
//   }
//
// Each part runs over all n elements, and updates the rows lo .. hi - 1 only, which are its own: plain stores, in the order in which
// one thread would do them. What stands before the inner map is done again in each part, so it must be views, reads and arithmetic. What
// the accumulation computed beside comes apart: it is the old one without this destination.
#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"
#include "compiler/ir/transform.h"
#include "passes/cleanup/dce.h"
#include "passes/parallel/one_thread.h"
#include "passes/pass.h"

namespace raido {
using namespace ir;
namespace {

class Owners {
 public:
  Owners(Program& p, PassContext& c) : p_(p), c_(c) {}

  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      auto w = std::get_if<WithAcc>(&s.exp);
      bool done = w && divide(b, s, *w, results);
      if (done) return true;
      definitions_.add(s);
      if (!w && kind_of(s.exp) != Kind::Parallel) walk_parts(s, [&](Body& inner) { body(inner); });
      return false;
    });
  }

 private:
  Program& p_;
  PassContext& c_;
  Definitions definitions_;                // of what stands outside of scopes

  static bool is_heavy(const Stm& s) {
    switch (kind_of(s.exp)) {
      case Kind::Branch: case Kind::Loop: case Kind::Parallel: case Kind::Scope: case Kind::Operator: case Kind::Call: case Kind::Block: return true;
      case Kind::Make: return !std::holds_alternative<Iota>(s.exp);
      case Kind::Step: case Kind::Check: case Kind::Read: case Kind::View: case Kind::Constant: case Kind::Write: return false;
    }
    return true;
  }
  // The only costly statement, if there is one and no second.
  static Stm* costly(Body& b) {
    Stm* found = nullptr;
    for (Stm& s : b.stms) {
      if (!is_heavy(s)) continue;
      if (found) return nullptr;
      found = &s;
    }
    return found;
  }
  // One costly operation inside the other, down to the updates: a copy without the other results does no work twice.
  static bool is_chain(Body& b) {
    bool costs = false;
    for (const Stm& s : b.stms) {
      if (std::holds_alternative<Update>(s.exp)) return false;              // what it consumes is gone afterwards
      costs |= is_heavy(s);
    }
    if (!costs) return true;
    Stm* s = costly(b);
    bool chain = s != nullptr && (std::holds_alternative<Screma>(s->exp) || std::holds_alternative<For>(s->exp));
    if (chain) walk_parts(*s, [&](Body& inner) { chain = chain && is_chain(inner); });
    return chain;
  }

  // The map inside that counts a dimension of all updates, and where it stands.
  struct Counted {
    Body* around;
    Stm* map;
  };
  std::optional<Counted> counted(Body& b, const VarSet& inside, Definitions& seen) const {
    Stm* s = costly(b);
    auto map = s ? std::get_if<Screma>(&s->exp) : nullptr;
    if (!map || !is_map(*map) || s->pattern.size() != 1) return {};
    auto width = var_of(map->width);
    for (size_t k = 0; k < map->inputs.size() && !(width && inside.contains(*width)); k++) {
      auto iota = seen.get<Iota>(map->inputs[k]);
      if (!iota || !is_const(iota->start, 0) || !is_const(iota->step, 1)) continue;
      std::optional<std::vector<bool>> own;      // by dimension, whether all updates have the counter there
      each_stm(map->pre.body, [&](const Stm& inner) {
        auto u = std::get_if<AccUpdate>(&inner.exp);
        if (!u) return;
        if (!own) own.emplace(u->at.size(), true);
        for (size_t d = 0; d < u->at.size(); d++) (*own)[d] = (*own)[d] && u->at[d] == Atom(map->pre.params[k].var);
      });
      if (own && std::ranges::count(*own, true) > 0) return Counted{&b, s};
    }
    seen.add(map->pre.body);
    return counted(map->pre.body, inside, seen);
  }

  // Scopes that have lost all their destinations are what stands in them.
  void dissolve(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      walk_parts(s, [&](Body& inner) { dissolve(inner); });
      auto w = std::get_if<WithAcc>(&s.exp);
      if (!w || !w->dests.empty()) return false;
      b.emit_all(std::move(w->scope.body.stms));
      for (size_t k = 0; k < s.pattern.size(); k++) results.emplace(s.pattern[k].var, w->scope.body.result[k]);
      return true;
    });
  }
  // The first destination that can be divided.
  bool divide(Builder& b, Stm& s, WithAcc& w, Subst& results) {
    if (w.scope.body.stms.size() != 1) return false;
    size_t at = 0;
    for (const Dest& d : w.dests) {
      size_t n = d.arrays.size();
      bool matrix = d.conflict == Conflict::Unknown && d.combine && n == 1 && d.combine->shape.empty() && d.rank >= 2;
      if (matrix && divide(b, s, at, results)) return true;
      at += n;
    }
    return false;
  }
  bool divide(Builder& b, Stm& s, size_t result, Subst& results) {
    Body alone;                                          // the accumulation without anything else
    Stm copy = s;
    copy.exp = clone(p_, s.exp);
    for (Bind& v : copy.pattern) v.var = p_.fresh(p_.hint(v.var), p_.type(v.var));
    alone.result = {copy.pattern[result].var};
    alone.stms.push_back(std::move(copy));
    drop_unused(p_, c_, alone);
    dissolve(alone);
    Stm& one = *alone.stms.begin();
    auto w = std::get_if<WithAcc>(&one.exp);
    if (!w || w->dests.size() != 1 || w->scope.body.stms.size() != 1 || w->scope.body.result.size() != 1) return false;
    Stm& around = *w->scope.body.stms.begin();
    auto outer = std::get_if<Screma>(&around.exp);
    if (!outer || !is_map(*outer) || around.pattern.size() != 1 || !is_chain(outer->pre.body)) return false;
    Definitions seen = definitions_;
    seen.add(outer->pre.body);
    std::optional<Counted> inner = counted(outer->pre.body, bound_in(outer->pre), seen);
    if (!inner || !c_.allow()) return false;
    c_.stats.count("owners.rows");
    b.checks = {};
    If choice{one_thread(b), {}, {}};
    std::vector<Bind> pattern = s.pattern;
    for (Bind v : pattern) choice.then_.result.push_back(v.var);
    choice.else_.result = choice.then_.result;
    choice.else_.result[result] = alone.result[0];
    Stm rest = s;
    rest.exp = clone(p_, s.exp);
    Subst renamed;
    for (Bind& v : rest.pattern) {
      Var now = p_.fresh(p_.hint(v.var), p_.type(v.var));
      renamed.emplace(v.var, now);
      v.var = now;
    }
    substitute(p_, choice.else_.result, renamed);
    choice.then_.stms.push_back(std::move(s));
    in_parts(w->scope, around, *outer, *inner);
    w->dests[0].conflict = Conflict::None;
    choice.else_.stms.push_back(std::move(one));
    choice.else_.stms.push_back(std::move(rest));
    drop_unused(p_, c_, choice.else_);
    dissolve(choice.else_);
    std::vector<Var> now = b.bind("y", std::move(choice));
    for (size_t k = 0; k < now.size(); k++) {
      p_.vars[now[k].index].hint = p_.hint(pattern[k].var);
      results.emplace(pattern[k].var, now[k]);
    }
    return true;
  }

  // map n f   ==>   map parts \p -> map n f, where the counted map in f runs over part p of its width
  void in_parts(Lambda& scope, Stm& around, Screma& outer, const Counted& inner) {
    Screma& map = std::get<Screma>(inner.map->exp);
    auto is_it = [&](Var v) { return is_acc(p_.type(v)); };
    Var acc = *std::ranges::find_if(outer.inputs, is_it);
    Type type = p_.type(acc);
    Source source = around.source;
    Body code;
    Builder b(p_, code.stms);
    b.source = source;
    Term width = b.term(map.width), most = b.number(Scalar::I64, costs::cpu::owner_parts);
    Term parts = select({lt(width, most), width, most}), each = (width + most - 1) / most;
    Var counters = b.iota(parts.atom);
    Var done = b.map(p_.hint(acc), parts.atom, b.lambda({{"part", scalar_type(Scalar::I64)}, {p_.hint(acc), type}}, [&](const std::vector<Var>& in) {
      Term lo = apply(ScalarOp::min, {b.term(in[0]) * each, width}), length = apply(ScalarOp::min, {each, width - lo});
      std::ranges::replace_if(outer.inputs, is_it, in[1]);
      Body cut;                                           // the statements around the map, with parts of its inputs
      Builder c(p_, cut.stms);
      c.source = source;
      for (auto& item : inner.around->stms.take()) {
        if (item.get() == inner.map) {
          for (Var& v : map.inputs)
            if (!is_it(v)) v = c.slice(p_.hint(v), v, {lo.atom, length.atom, i64_atom(1)});
          map.width = length.atom;
        }
        c.emit(std::move(item));
      }
      inner.around->stms = std::move(cut.stms);
      b.emit(std::move(around));
      return std::vector<Atom>{scope.body.result[0]};
    }), {counters, acc})[0];
    code.result = {done};
    scope.body = std::move(code);
  }
};

}  // namespace

void owners(Program& program, PassContext& context) {
  if (context.target != Target::Multicore) return;
  Owners pass(program, context);
  program.each_body([&](Body& b) { pass.body(b); });
}

}  // namespace raido
