// scalar_parts.cc - loops for vectors with a few operations that have no vector form, such as divisions of integers.
//
//   for l < W { A; q = x % n; B }
//     ==>
//   for l < W { A; xs[l] = x }                        if A calls a function; else the next loop computes it again
//   for l < W { x = xs[l]; q = x % n; qs[l] = q }
//   for l < W { A; q = qs[l]; B }
//
// One such operation keeps a C compiler from making vectors of the whole loop, and of the mathematical functions in it. The counted loops that
// stand for vectors are divided as they are, others in strips. Each number is computed as before.
#include "backends/kernel/scalar_parts.h"

#include <algorithm>

#include "backends/kernel/loop_parts.h"
#include "backends/kernel/steps.h"
#include "backends/kernel/walk.h"
#include "compiler/base/match.h"
#include "compiler/ir/costs.h"

namespace raido::kir {
namespace {

class ScalarParts {
 public:
  ScalarParts(Module& m, const For& loop) : m_(m), loop_(loop) {}

  // Whether the loop has such operations, and other work that is worth arrays for what goes from one part to the next.
  bool fits() {
    const For& x = loop_;
    if (x.scattered || x.pairs || x.spmd || x.unrolled || x.rest || x.few || x.group || !only_computes(x.body) || x.body.size() > costs::cpu::chain_statements) return false;
    auto from = m_.const_of(x.from), to = m_.const_of(x.to);
    width_ = costs::cpu::scalar_strip;
    if (x.lanes) {
      if (!from || from->as_i64() != 0 || !to || to->as_i64() > costs::cpu::chain_strip) return false;
      width_ = to->as_i64();
    } else if (!x.reduced.empty() || (from && to && to->as_i64() - from->as_i64() < 2 * width_)) {
      return false;
    }
    return divide();
  }

  // What stands in the place of the loop.
  Block run() {
    Block out;
    values_.emplace(m_, width_);
    for (Name n : kept_) values_->add(n);
    values_->declare_arrays(out);
    if (loop_.lanes) {
      parts(out, loop_);
      return out;
    }
    Name base = m_.name("base", Scalar::I64), l = m_.name("l", Scalar::I64);
    For strip = loop_;
    strip.i = l;
    strip.from = m_.number(0);
    strip.to = m_.number(width_);
    i_of_strip_ = m_.add(m_.var(base), m_.var(l));
    Block body;
    parts(body, strip);
    out.push_back({Declare{base, loop_.from}});
    out.push_back(while_whole(m_, base, width_, loop_.to, std::move(body)));
    out.push_back({last_iterations(m_, loop_, base)});
    return out;
  }

 private:
  Module& m_;
  const For& loop_;
  int64_t width_ = 0;
  ExprId i_of_strip_ = {};
  IdSet<Name> scalar_, first_;                 // what has no vector form; calls that it needs
  IdSet<Name> for_first_, for_scalar_;         // what these need
  std::vector<Name> kept_;                     // from one loop to the next
  std::optional<KeptValues> values_;           // of these

  bool is_call_here(ExprId e) const {
    auto p = std::get_if<Prim>(&m_.exprs[e.index].node);
    return p && is_call(p->op) && is_float(p->at);
  }
  bool names_one_of(ExprId e, const IdSet<Name>& names) const {
    return any_part(m_, e, [&](ExprId part) {
      auto n = std::get_if<Name>(&m_.exprs[part.index].node);
      auto l = std::get_if<Load>(&m_.exprs[part.index].node);
      return (n && names.contains(*n)) || (l && names.contains(l->memory));
    });
  }

  bool divide() {
    auto has_scalar = [&](const Stm& s) {
      auto d = std::get_if<Declare>(&s.node);
      return d && d->init && any_part(m_, *d->init, [&](ExprId e) { return is_without_vectors(m_, e); });
    };
    if (std::none_of(loop_.body.begin(), loop_.body.end(), has_scalar)) return false;
    IdSet<Name> changed, declared, late;                 // by the loop; late: what needs a number without vector form
    for (const Stm& s : loop_.body) {
      if (auto w = std::get_if<Store>(&s.node)) changed.insert(w->memory);
      if (auto a = std::get_if<Assign>(&s.node)) changed.insert(a->var);
      if (auto d = std::get_if<Declare>(&s.node)) declared.insert(d->var);
    }
    size_t work = 0;
    Steps steps(m_, loop_.i);
    for (const Stm& s : loop_.body) {
      bool possible = match(s.node,
        [&](const Declare& d) {
          steps.declare(d.var, d.init ? &*d.init : nullptr);
          if (!d.init) return false;
          bool is_late = names_one_of(*d.init, late) || names_one_of(*d.init, scalar_);
          if (has_scalar(s)) {
            if (names_one_of(*d.init, late)) return false;
            scalar_.insert(d.var);
            return true;
          }
          if (is_late) late.insert(d.var);
          if (m_.names[d.var.index].type != Scalar::I64)
            any_part(m_, *d.init, [&](ExprId e) { work += is_call_here(e) ? costs::cpu::operations_of_call : std::holds_alternative<Prim>(m_.exprs[e.index].node); return false; });
          return true;
        },
        [&](const Store& w) { return steps.of(w.index) == 1; },
        // Without lanes, what goes on to the next iteration keeps the order.
        [&](const Assign& a) { return loop_.lanes || declared.contains(a.var); },
        [](const auto&) { return false; });
      if (!possible) return false;
    }
    if (work < costs::cpu::operations_of_call) return false;
    if (!needed(scalar_, for_scalar_, changed, true) || !needed(first_, for_first_, changed, false)) return false;
    for (const Stm& s : loop_.body)
      if (auto d = std::get_if<Declare>(&s.node); d && (scalar_.contains(d->var) || first_.contains(d->var))) kept_.push_back(d->var);
    return kept_.size() <= costs::cpu::chain_arrays;
  }
  // What the names are made of, in `all`. It must not be something that the loop changes. Calls among it stand in first_, if `calls_first`.
  bool needed(const IdSet<Name>& names, IdSet<Name>& all, const IdSet<Name>& changed, bool calls_first) {
    all = names;
    for (auto s = loop_.body.rbegin(); s != loop_.body.rend(); s++) {
      auto d = std::get_if<Declare>(&s->node);
      if (!d || !all.contains(d->var)) continue;
      if (changed.contains(d->var) || names_one_of(*d->init, changed)) return false;
      if (calls_first && !scalar_.contains(d->var) && any_part(m_, *d->init, [&](ExprId e) { return is_call_here(e); })) {
        first_.insert(d->var);
        continue;
      }
      any_part(m_, *d->init, [&](ExprId e) {
        if (auto n = std::get_if<Name>(&m_.exprs[e.index].node)) all.insert(*n);
        return false;
      });
    }
    return true;
  }

  void parts(Block& out, const For& loop) {
    IdSet<Name> all;
    for (Name n : kept_) all.insert(n);
    if (std::ranges::any_of(kept_, [&](Name n) { return first_.contains(n); })) out.push_back(part(loop, for_first_, &first_, {}));
    out.push_back(part(loop, for_scalar_, &scalar_, first_));
    IdSet<Name> last;                                    // what the last loop needs
    for (auto s = loop_.body.rbegin(); s != loop_.body.rend(); s++) {
      auto d = std::get_if<Declare>(&s->node);
      if (d && (!last.contains(d->var) || all.contains(d->var))) continue;
      for (Name n : used_names(m_, *s)) last.insert(n);
    }
    out.push_back(part(loop, last, nullptr, all));
  }
  // A loop that computes `what` and keeps `makes`, or one that does everything else that the loop did. `known` are in their arrays.
  Stm part(const For& loop, const IdSet<Name>& what, const IdSet<Name>* makes, const IdSet<Name>& known) {
    For out = loop;
    out.body.clear();
    if (makes) out.reduced.clear();
    if (makes == &scalar_) out.lanes = false, out.scattered = true;
    Block body;
    for (const Stm& s : loop_.body) {
      auto d = std::get_if<Declare>(&s.node);
      if (d && known.contains(d->var)) {
        if (what.contains(d->var)) values_->read(body, d->var, m_.var(loop.i));
      } else if (d ? what.contains(d->var) : !makes) {
        body.push_back(s);
      }
      if (d && makes && makes->contains(d->var)) values_->store(body, d->var, m_.var(loop.i));
    }
    if (loop.i != loop_.i && std::ranges::count(used_names(m_, body), loop_.i) > 0) out.body.push_back({Declare{loop_.i, i_of_strip_}});
    for (Stm& s : body) out.body.push_back(std::move(s));
    return {std::move(out)};
  }
};

}  // namespace

void split_scalar_parts(Module& m, Block& b) { rewrite_loops<ScalarParts>(m, b); }

}  // namespace raido::kir
