// early_sums.cc - the sum of zeros to which something was added is the sum of what was added.
//
//   let a = with_acc [zeros] (add) \acc -> .. upd acc [i, j] v ..                                                      E10
//   let s = reduce (+) 0 a, also of rows, of a transposed or flattened one
//   ==>
//   let a = with_acc [one zero] (add) \acc -> .. upd acc [0] (if [i, j] is inside then v else 0) ..
//   let s = a[0]
//
//   let a = hist n f into [zeros] (add) ; let s = reduce (+) 0 a   ==>   let s = screma n (if [i, j] is inside then v else 0) reduces (+)
//
// Nobody else uses a. Then E3, E5 and E11 make sums of the updates, which cost what there are updates, and not what a has elements: a sparse
// Jacobian of which only a sum is wanted is never laid out. The scope has to be one of which they can take out all updates. Sums of
// floats change their order, so --fp-strict keeps them.
#include "passes/fusion/early_sums.h"

#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/term.h"

namespace raido {
namespace {

using namespace ir;

class SumsOfUpdates {
 public:
  SumsOfUpdates(Program& p, PassContext& context) : p_(p), context_(context), made_(p) {
    p.each_body([&](const Body& b) { uses_.add(p, b); });
  }

  void body(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      walk_parts(s, [&](Body& inner) { body(inner); });
      auto x = std::get_if<Screma>(&s.exp);
      if (!x || s.pattern.size() != 1 || !is_sum(*x)) return false;
      std::vector<size_t> views;                         // statements on the way from the accumulated array
      auto scope = accumulated(whole, x->inputs[0], views);
      if (!scope || !context_.allow()) return false;
      Var array = x->inputs[0];
      for (size_t k : views) array = source_of(whole.stms[k]);
      one_cell(whole, *scope, array, views);
      bool number = is_scalar(p_.type(array));
      results.emplace(s.pattern[0].var, number ? Atom(array) : b.index(p_.hint(s.pattern[0].var), array, {i64_const(0)}));
      context_.stats.count("early_accumulators.E10");
      return true;
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  Definitions made_;                                     // of zeros, which this pass leaves where they are
  Uses uses_;

  bool is_zero(const Atom& a) const {
    auto c = const_of(a);
    return c && c->bits == 0;
  }
  // reduce (+) 0 of all elements of its only input.
  bool is_sum(const Screma& x) const {
    if (x.reduces.size() != 1 || !x.scans.empty() || !x.post_reduces.empty() || !x.post.body.result.empty()) return false;
    if (x.inputs.size() != 1 || is_acc(p_.type(x.inputs[0])) || x.pre.body.result.size() != 1) return false;
    const Combine& c = x.reduces[0];
    if (!c.shape.empty() || scalar_operator(p_, c) != ScalarOp::add || !is_zero(c.neutral[0])) return false;
    if (context_.options.strict_fp && is_float(elem_of(p_, c.neutral[0]))) return false;
    return totals(x.pre);
  }
  // \x -> the sum of all elements of x
  bool totals(const Lambda& f) const {
    const Body& b = f.body;
    if (b.result.size() != 1 || f.params.size() != 1) return false;
    Var x = f.params[0].var;
    if (is_scalar(p_.type(x))) return b.stms.empty() && b.result[0] == Atom(x);
    if (b.stms.size() != 1) return false;
    const Stm& s = *b.stms.begin();
    auto inner = std::get_if<Screma>(&s.exp);
    return inner && s.pattern.size() == 1 && b.result[0] == Atom(s.pattern[0].var) && is_sum(*inner) && inner->inputs[0] == x;
  }
  // What a view or a map of row sums is of.
  Var source_of(const Stm& s) const {
    return match(s.exp, [](const Reshape& x) { return x.array; }, [](const Permute& x) { return x.array; },
                 [](const Screma& x) { return x.inputs[0]; }, [](const auto&) { return Var(); });
  }
  // The statement of the same body that accumulates the array.
  std::optional<size_t> accumulated(const Body& whole, Var array, std::vector<size_t>& views) const {
    for (size_t k = whole.stms.size(); k-- > 0;) {
      const Stm& s = whole.stms[k];
      auto found = std::ranges::find_if(s.pattern, [&](Bind b) { return b.var == array; });
      if (found == s.pattern.end()) continue;
      if (uses_.of(array) != 1) return {};
      if (auto x = std::get_if<Hist>(&s.exp)) return x->dests.size() == 1 && is_sum_into_zeros(x->dests[0]) ? std::optional(k) : std::nullopt;
      if (std::holds_alternative<WithAcc>(s.exp)) return adds_to_zeros(s, size_t(found - s.pattern.begin())) ? std::optional(k) : std::nullopt;
      auto map = std::get_if<Screma>(&s.exp);
      bool view = std::holds_alternative<Reshape>(s.exp) || std::holds_alternative<Permute>(s.exp);
      bool rows = map && is_map(*map) && map->inputs.size() == 1 && s.pattern.size() == 1 && is_array(p_.type(map->inputs[0])) && totals(map->pre);
      if (!view && !rows) return {};
      views.push_back(k);
      array = source_of(s);
    }
    return {};
  }
  static std::optional<size_t> dest_of(const WithAcc& x, size_t result) {
    for (size_t k = 0; k <= result && k < x.dests.size(); k++) {
      if (x.dests[k].arrays.size() != 1) return {};
      if (k == result) return k;
    }
    return {};
  }
  bool is_sum_into_zeros(const Dest& d) const {
    if (d.arrays.size() != 1 || !d.combine || !d.combine->shape.empty()) return false;
    if (scalar_operator(p_, *d.combine) != ScalarOp::add || !is_zero(d.combine->neutral[0])) return false;
    auto zeros = made_.get<Replicate>(d.arrays[0]);
    return zeros && is_zero(zeros->value) && uses_.of(d.arrays[0]) == 1 && d.rank == int(shape_of(p_.type(d.arrays[0])).size());
  }
  bool adds_to_zeros(const Stm& s, size_t result) const {
    auto& x = std::get<WithAcc>(s.exp);
    auto k = dest_of(x, result);
    if (!k) return false;
    if (!is_sum_into_zeros(x.dests[*k])) return false;
    Var acc = x.scope.params[x.dests.size() + *k].var;
    return flows(x.scope.body, acc, x.scope.body.result[*k]);
  }
  // From `acc` through updates and maps, loops and branches around updates to the result `last`: nothing else has it.
  bool flows(const Body& b, Var acc, const Atom& last) const {
    Atom now = acc;
    for (const Stm& s : b.stms) {
      if (!mentions(p_, s.exp, *var_of(now))) continue;
      auto through = match(s.exp, [&](const AccUpdate&) { return std::optional<size_t>(0); },
          [&](const Screma& x) -> std::optional<size_t> {
            auto in = std::ranges::find(x.inputs, *var_of(now)) - x.inputs.begin();
            if (!is_map(x) || in == isize(x.inputs)) return {};
            return through_result(x.pre.body, x.pre.params[size_t(in)].var);
          },
          [&](const For& x) -> std::optional<size_t> {
            auto in = std::ranges::find(x.init, now) - x.init.begin();
            if (in == isize(x.init) || !flows(x.body, x.state[size_t(in)].var, x.body.result[size_t(in)])) return {};
            return size_t(in);
          },
          [&](const If& x) -> std::optional<size_t> {
            auto k = through_result(x.then_, *var_of(now));
            return k && flows(x.else_, *var_of(now), x.else_.result[*k]) ? k : std::nullopt;
          },
          [](const auto&) { return std::optional<size_t>(); });
      if (!through) return false;
      now = s.pattern[*through].var;
    }
    return now == last;
  }
  std::optional<size_t> through_result(const Body& b, Var acc) const {
    for (size_t r = 0; r < b.result.size(); r++) {
      auto v = var_of(b.result[r]);
      if (v && is_acc(p_.type(*v)) && flows(b, acc, b.result[r])) return r;
    }
    return {};
  }

  // The accumulator gets one cell; the views are not needed any more.
  void one_cell(Body& whole, size_t scope, Var array, const std::vector<size_t>& views) {
    std::vector<std::unique_ptr<Stm>> old = whole.stms.take();
    for (size_t k = 0; k < old.size(); k++) {
      if (std::ranges::find(views, k) != views.end()) continue;
      if (auto x = k == scope ? std::get_if<Hist>(&old[k]->exp) : nullptr) {
        p_.vars[array.index].type = scalar_type(elem_of(p_.type(array)));
        *old[k] = {old[k]->pattern, sum_of(std::move(*x)), old[k]->checks, old[k]->source, {}};
      } else if (k == scope) {
        Builder b(p_, whole.stms);
        b.source = old[k]->source;
        auto& x = std::get<WithAcc>(old[k]->exp);
        size_t number = number_of(*old[k], array);
        Var token = x.scope.params[number].var;
        const AccType before = std::get<AccType>(p_.type(x.scope.params[x.dests.size() + number].var));
        x.dests[number].arrays[0] = *var_of(b.replicate({i64_const(1)}, b.zero(scalar_type(before.elems[0].elem))));
        x.dests[number].rank = 1;
        update_cell(x.scope.body, token, before.space);
        for (VarInfo& v : p_.vars)
          if (auto acc = std::get_if<AccType>(&v.type); acc && acc->token == token) acc->space = {i64_const(1)};
        p_.vars[array.index].type = array_type(before.elems[0].elem, {i64_const(1)});
      }
      whole.stms.push_back(std::move(old[k]));
    }
  }
  // The value if the place is in the array, else zero.
  Atom value_inside(Builder& b, const std::vector<Atom>& at, const std::vector<Dim>& space, const Atom& value) const {
    Term inside = b.term(bool_const(true));
    for (size_t d = 0; d < space.size(); d++)
      inside = and_(inside, all_of({le(b.term(i64_const(0)), b.term(at[d])), lt(b.term(at[d]), b.term(space[d]))}));
    return select({inside, b.term(value), b.number(elem_of(p_, value), 0)}).atom;
  }
  Screma sum_of(Hist x) const {
    std::vector<Atom> at = x.pre.body.result;
    Atom value = at.back();
    at.pop_back();
    Screma sum;
    sum.width = x.width;
    sum.inputs = std::move(x.inputs);
    sum.pre = std::move(x.pre);
    Builder b(p_, sum.pre.body.stms);
    sum.pre.body.result = {value_inside(b, at, shape_of(p_.type(x.dests[0].arrays[0])), value)};
    sum.reduces.push_back(std::move(*x.dests[0].combine));
    return sum;
  }
  void update_cell(Body& whole, Var token, const std::vector<Dim>& space) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst&) {
      walk_parts(s, [&](Body& inner) { update_cell(inner, token, space); });
      auto u = std::get_if<AccUpdate>(&s.exp);
      if (!u || std::get<AccType>(p_.type(u->acc)).token != token) return false;
      b.checks = s.checks;
      if (!u->in_range) u->values = {value_inside(b, u->at, space, u->values[0])};
      u->at = {i64_const(0)};
      return false;
    });
  }
};

}  // namespace

void sum_updates(ir::Program& program, PassContext& context) {
  SumsOfUpdates pass(program, context);
  program.each_body([&](ir::Body& b) { pass.body(b); });
}

}  // namespace raido
