// reach.cc - updates that are near to their iterations, as those of a stencil's adjoint are: by forms of their indices.
//
// Where one dimension of all updates is f * i + .. , the rest of which lies between two forms a constant apart, only iterations meet
// that are no further apart than that constant by f. Where there is no such dimension, pairs of updates may be disjoint all the same.
#include "passes/parallel/reach.h"

#include <algorithm>

#include "compiler/ir/analysis/affine_code.h"
#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/traits.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/term.h"
#include "compiler/ir/transform.h"
#include "passes/parallel/segs.h"

namespace raido {
using namespace ir;
namespace {

class Reach {
 public:
  Reach(const Program& p, const Exp& parallel, Var token, const Forms& forms) : p_(p), token_(token), forms_(forms), inside_(bound_in(parallel)) {
    Nest nest;
    add_counters(nest, inside_, parallel, forms_);
    shared_ = nest.size();
    known_ = shared_ > 0;
    if (auto x = std::get_if<Seg>(&parallel))
      for (const Dim& n : x->extent) if (auto v = var_of(n)) sizes_.insert(*v);
    if (known_) walk(parallel, [&](const Body& b) { collect(b, nest); });
  }
  std::optional<i64> result() const {
    if (!known_) return {};
    if (updates_.empty()) return 0;
    std::optional<i64> best;
    for (size_t d = 0; shared_ == 1 && d < updates_[0].at.size() && best != 0; d++)
      if (auto here = by_dimension(d); here && (!best || *here < *best)) best = here;
    return best == 0 || all_disjoint() ? 0 : best;
  }

 private:
  const Program& p_;
  Var token_;
  const Forms& forms_;
  VarSet inside_;
  std::vector<Access> updates_;
  VarSet sizes_;
  size_t shared_ = 0;                      // counters of the operation itself
  bool known_ = true;                      // all updates are in `updates_`

  bool is_it(Var v) const {
    auto acc = std::get_if<AccType>(&p_.type(v));
    return acc && acc->token == token_;
  }
  void collect(const Body& b, const Nest& nest) {
    for (const Stm& s : b.stms) {
      if (auto u = std::get_if<AccUpdate>(&s.exp); u && is_it(u->acc)) {
        updates_.push_back(access(nest, inside_, u->at, forms_));
        for (const Dim& n : std::get<AccType>(p_.type(u->acc)).space) if (auto v = var_of(n)) sizes_.insert(*v);
      }
      if (kind_of(s.exp) == Kind::Call) each_use(p_, s.exp, [&](Var v) { known_ = known_ && !is_it(v); });
      Nest inner = nest;
      add_counters(inner, inside_, s.exp, forms_);
      walk_parts(s, [&](const Body& part) { collect(part, inner); });
    }
  }

  // From the cells of one dimension alone.
  std::optional<i64> by_dimension(size_t d) const {
    Var i = updates_[0].nest[0].var;
    std::optional<i64> factor;
    std::vector<std::pair<Affine, Affine>> cells;        // from, to, in each iteration
    for (const Access& u : updates_) {
      if (!u.at[d]) return {};
      Nest inner(u.nest.begin() + 1, u.nest.end());
      auto from = smallest(*u.at[d], inner), to = largest(*u.at[d], inner);
      if (!from || !to) return {};
      if (!factor) factor = from->factor(i);
      if (*factor == 0 || from->factor(i) != *factor || to->factor(i) != *factor) return {};
      cells.push_back({*from, *to});
    }
    i64 apart = 0;
    for (const auto& a : cells)
      for (const auto& b : cells) {
        Affine distance = a.second - b.first;
        if (!distance.is_constant() || !distance.is_small()) return {};
        apart = std::max(apart, distance.constant);
      }
    return apart / std::abs(*factor);
  }
  bool all_disjoint() const {
    constexpr size_t most = 8;             // updates whose pairs are asked about
    if (updates_.size() > most) return false;
    Known known;
    known.sizes = sizes_;
    for (size_t a = 0; a < updates_.size(); a++)
      for (size_t b = a; b < updates_.size(); b++)
        if (!disjoint(updates_[a], updates_[b], shared_, Apart, known)) return false;
    return true;
  }
};

// The reach of a scope is the farthest of its parallel operations.
void farthest(const Program& p, const Body& b, Var token, const Forms& forms, std::optional<i64>& so_far) {
  for (const Stm& s : b.stms) {
    if (!so_far) return;
    if (kind_of(s.exp) != Kind::Parallel) {
      walk_parts(s, [&](const Body& inner) { farthest(p, inner, token, forms, so_far); });
      continue;
    }
    auto here = Reach(p, s.exp, token, forms).result();
    so_far = here ? std::optional(std::max(*so_far, *here)) : std::nullopt;
  }
}

class Updates {
 public:
  Updates(Builder& out, const Lambda& scope, const Forms& forms) : p_(out.program), out_(out), inside_(bound_in(scope)), forms_(forms) {
    body(scope.body, {}, out.number(Scalar::I64, 1));
  }
  std::optional<Term> sum;

 private:
  const Program& p_;
  Builder& out_;
  const VarSet inside_;
  const Forms& forms_;

  void body(const Body& b, const Nest& nest, Term so_far) {
    for (const Stm& s : b.stms) {
      if (auto update = std::get_if<AccUpdate>(&s.exp)) {
        Term here = so_far;
        for (const Atom& v : update->values)
          for (const Dim& n : shape_of(p_.type(v))) if (known(n)) here = here * out_.term(n);
        sum = sum ? *sum + here : here;
      }
      Term factor = so_far;
      auto scale = [&](const Dim& n) {
        if (known(n)) factor = factor * out_.term(n);
        else if (auto form = form_in(nest, inside_, n, forms_); auto most = form ? largest(*form, nest) : std::nullopt)
          factor = factor * apply(ScalarOp::max, {code_of(out_, *most) / out_.number(Scalar::I64, 2), out_.number(Scalar::I64, 1)});
      };
      if (auto f = std::get_if<For>(&s.exp)) scale(f->n);
      if (auto m = std::get_if<Screma>(&s.exp)) scale(m->width);
      if (auto h = std::get_if<Hist>(&s.exp)) scale(h->width);
      if (auto g = std::get_if<Seg>(&s.exp)) for (const Dim& n : g->extent) scale(n);
      Nest in = nest;
      add_counters(in, inside_, s.exp, forms_);
      walk_parts(s, [&](const Body& inner) { body(inner, in, factor); });
    }
  }
  bool known(const Dim& n) const { return !var_of(n) || !inside_.contains(*var_of(n)); }
};

}  // namespace

std::optional<Term> updates_in(Builder& out, const Lambda& scope, const Forms& forms) { return Updates(out, scope, forms).sum; }

std::optional<i64> reach(const Program& p, const Body& scope, Var token, const Forms& forms) {
  std::optional<i64> all = 0;
  farthest(p, scope, token, forms, all);
  return all;
}

bool can_alternate(const Seg& x) { return x.level == SegLevel::Task && x.index.size() == 1 && is_seg_map(x); }

std::vector<Stm> alternating(Program& p, Stm s, i64 reach) {
  Seg& x = std::get<Seg>(s.exp);
  List<Stm> made;
  Builder b(p, made);
  b.source = s.source;
  Term n = b.term(x.extent[0]), limit = b.number(Scalar::I64, costs::cpu::owner_parts);
  Term each = apply(ScalarOp::max, {(n + limit - 1) / limit, b.number(Scalar::I64, double(std::max<i64>(reach, 1)))}), parts = (n + each - 1) / each;

  WithAcc outputs;                         // arrays are written at the places of their iterations
  std::vector<Var> now;                    // what each result has reached: an accumulator
  for (Bind v : s.pattern) {
    if (auto array = std::get_if<ArrayType>(&p.type(v.var))) {
      ArrayType type = *array;
      outputs.dests.push_back({{b.bind1(p.hint(v.var), Scratch{type.elem, type.shape})}, 1, {}, Conflict::None});
      outputs.scope.params.push_back({p.fresh("token", CheckType{})});
      now.push_back(p.fresh("out", dest_type(p, outputs.dests.back(), outputs.scope.params.back().var)));
    } else {
      Var token = std::get<AccType>(p.type(v.var)).token;
      for (Var outside : free_vars(p, x.body))
        if (auto acc = std::get_if<AccType>(&p.type(outside)); acc && acc->token == token) now.push_back(outside);
    }
  }
  const std::vector<Var> before = now;
  auto is_array_at = [&](size_t k) { return is_array(p.type(s.pattern[k].var)); };
  for (size_t k = 0; k < now.size(); k++) if (is_array_at(k)) outputs.scope.params.push_back({now[k]});

  auto half = [&](i64 odd) {
    Seg all{SegLevel::Task, {{p.fresh("part", scalar_type(Scalar::I64))}}, {((parts + (1 - odd)) / b.number(Scalar::I64, 2)).atom}, {}, {}, {}, {}, {}, {}};
    all.body = b.body([&] {
      Term lo = (b.term(all.index[0].var) * b.number(Scalar::I64, 2) + odd) * each;
      Seg part{SegLevel::Task, {{p.fresh("j", scalar_type(Scalar::I64))}}, {apply(ScalarOp::min, {each, n - lo}).atom}, {}, {}, {}, {}, {}, {}};
      part.body = b.body([&] {
        Atom i = (lo + b.term(part.index[0].var)).atom;
        Body copy = clone(p, x.body);
        Subst to{{x.index[0].var, i}};
        for (size_t k = 0; k < now.size(); k++) to.emplace(before[k], now[k]);
        substitute(p, copy, to);
        b.emit_all(std::move(copy.stms));
        for (size_t k = 0; k < now.size(); k++)
          if (is_array_at(k)) copy.result[k] = b.bind1("out", AccUpdate{now[k], {i}, {copy.result[k]}, true});
        return copy.result;
      });
      std::vector<Atom> reached;
      for (Var v : b.bind("part", std::move(part))) reached.push_back(v);
      return reached;
    });
    now = b.bind("part", std::move(all));
  };
  auto both = [&] {
    half(0);
    half(1);
  };
  if (outputs.dests.empty()) {
    both();
  } else {
    outputs.scope.body = b.body([&] {
      both();
      std::vector<Atom> results;
      for (bool array : {true, false})
        for (size_t k = 0; k < now.size(); k++) if (is_array_at(k) == array) results.push_back(now[k]);
      return results;
    });
    std::vector<Var> all = b.bind("out", std::move(outputs));
    size_t next = 0;
    for (bool array : {true, false})
      for (size_t k = 0; k < now.size(); k++) if (is_array_at(k) == array) now[k] = all[next++];
  }
  for (size_t k = 0; k < now.size(); k++) b.emit({{s.pattern[k]}, Identity{now[k]}, {}, s.source, {}});
  std::vector<Stm> out;
  for (auto& one_made : made.take()) out.push_back(std::move(*one_made));
  out.front().checks = s.checks;
  return out;
}

}  // namespace raido
