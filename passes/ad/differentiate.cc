// differentiate.cc - replaces jvp and vjp by derivative code, innermost operators first, until none is left.
//
// After one round all operators whose lambda held no other are gone. What they left is ordinary core code, which the
// next round may differentiate again. The program is simplified in between, so that records of records do not appear.
// Custom derivatives that nobody differentiates are their function.
//
// Many seeds at one point are taken some at a time (chunks.cc). If each seed is zero but for one place, and the derivative costs less
// because of these zeros, the seeds stay a map. The pass `sparse` then drops what is zero in it (decision 030).
//
// A result with a seed that is zero (zeros.h), which nobody reads, goes first, with what computes it. All other seeds and tangents that
// are zero make no code.
//
// Rules: nest.ff nest.fr nest.rf nest.rr.
#include <algorithm>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/zeros.h"
#include "compiler/ir/costs.h"
#include "compiler/ir/rewrite.h"
#include "passes/ad/forward/forward.h"
#include "passes/ad/prepare/counted.h"
#include "passes/ad/prepare/schedules.h"
#include "passes/ad/reverse/vjp.h"
#include "passes/ad/seeds/seeds.h"
#include "passes/cleanup/dce.h"
#include "passes/pipelines.h"
#include "passes/products/patterns.h"
#include "passes/sparse/sparse.h"

namespace raido {
namespace {

using namespace ir;

bool is_operator(const Exp& e) { return std::holds_alternative<Jvp>(e) || std::holds_alternative<Vjp>(e); }

class Differentiation {
 public:
  Differentiation(Program& p, PassContext& context) : p_(p), context_(context), functions_(p, context) {}

  // Expands every operator that applies to code without operators; returns whether there were any.
  bool round() {
    look();
    zeros_.emplace(p_);
    made_ = Definitions(p_);
    uses_ = {};
    p_.each_body([&](const Body& b) { uses_.add(p_, b); });
    bool found = false;
    expanded_ = 0;
    postponed_ = {};
    for (size_t i = 0; i < reach_.size(); i++) {         // derived functions come after these
      if (!holds_operator_[i]) continue;
      // The list of functions may grow: the body is not in it meanwhile. What it differentiates does not call it.
      Body whole = std::move(p_.functions[i].lambda.body);
      found = body(whole, {enclosed_[i], {}}) || found;
      p_.functions[i].lambda.body = std::move(whole);
    }
    found = body(p_.constants, {}) || found;
    if (found && expanded_ == 0 && context_.refused.empty()) context_.refuse(postponed_, Refusal::DifferentiateRecursion);
    return found;
  }
  void drop_custom(Body& whole) {
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      walk_parts(s, [&](Body& part) { drop_custom(part); });
      auto custom = std::get_if<Custom>(&s.exp);
      if (!custom) return false;
      std::vector<Atom> values = b.inline_once(std::move(custom->f), custom->args);
      for (size_t i = 0; i < s.pattern.size(); i++) results.emplace(s.pattern[i].var, values[i]);
      return true;
    });
  }

 private:
  Program& p_;
  PassContext& context_;
  ad::Functions functions_;
  size_t expanded_ = 0;
  std::optional<Zeros> zeros_;                           // before the round
  Definitions made_;
  Uses uses_;
  Source postponed_;                                     // an operator that applies to a function with operators
  // Of each function: itself and what it calls, whether it has operators, whether an operator applies to it.
  std::vector<std::set<size_t>> reach_;
  std::vector<bool> holds_operator_, enclosed_;

  template <class X> std::set<size_t> reached_from(const X& code) const {
    std::set<size_t> all;
    each_stm(code, [&](const Stm& s) {
      if (auto c = std::get_if<Call>(&s.exp)) all.insert(reach_[c->callee.index].begin(), reach_[c->callee.index].end());
    });
    return all;
  }
  void look() {
    size_t n = p_.functions.size();
    reach_.assign(n, {});
    holds_operator_.assign(n, false);
    enclosed_.assign(n, false);
    for (size_t i = 0; i < n; i++) reach_[i].insert(i);
    bool more = true;
    while (more) {
      more = false;
      for (size_t i = 0; i < n; i++) {
        size_t before = reach_[i].size();
        reach_[i].merge(reached_from(p_.functions[i].lambda.body));
        more = more || reach_[i].size() > before;
      }
    }
    auto applied = [&](const Stm& s) {
      match(s.exp, [&](const Vjp& x) { for (size_t f : reached_from(x.f.body)) enclosed_[f] = true; },
            [&](const Jvp& x) { for (size_t f : reached_from(x.f.body)) enclosed_[f] = true; }, [](const auto&) {});
    };
    each_stm(std::as_const(p_.constants), applied);
    for (size_t i = 0; i < n; i++)
      each_stm(std::as_const(p_.functions[i].lambda.body), [&](const Stm& s) {
        if (is_operator(s.exp)) holds_operator_[i] = true;
        applied(s);
      });
  }
  bool holds_operators(const Stm& s) const {
    bool found = is_operator(s.exp);
    walk_parts(s, [&](const Body& part) { each_stm(part, [&](const Stm& inner) { found = found || is_operator(inner.exp); }); });
    return found;
  }
  // Of a map that differentiates with many seeds at one point: the types of the first such point.
  std::vector<Type> point_of_seeds(const Stm& s) const {
    auto map = std::get_if<Screma>(&s.exp);
    if (!map || !is_map(*map) || std::ranges::any_of(map->inputs, [&](Var v) { return is_acc(p_.type(v)); })) return {};
    VarSet varies;
    for (Bind x : map->pre.params) varies.insert(x.var);
    auto any = [&](const auto& code) {
      bool found = false;
      each_use(p_, code, [&](Var v) { found = found || varies.contains(v); });
      return found;
    };
    auto point = [&](const auto& op) {
      std::vector<Type> types;
      if (!op.batch.empty() || any(op.f)) return types;
      for (const Atom& a : op.at) {
        if (auto v = var_of(a); v && varies.contains(*v)) return std::vector<Type>{};
        types.push_back(p_.type(a));
      }
      return types;
    };
    for (const Stm& inner : map->pre.body.stms) {
      auto found = match(inner.exp, [&](const Jvp& op) { return point(op); }, [&](const Vjp& op) { return point(op); },
                         [](const auto&) { return std::vector<Type>{}; });
      if (!found.empty()) return found;
      if (any(inner.exp)) for (Bind x : inner.pattern) varies.insert(x.var);
    }
    return {};
  }
  // Results that have the seed zero and that nobody reads go, with what computes them: states of loops, components of operators.
  void drop_zeros(Stm& s, Vjp& x) {
    for (size_t k = x.adjoints.size(); k-- > 0;) {
      if (!zeros_->contains(x.adjoints[k]) || uses_.of(s.pattern[k].var) > 0) continue;
      auto drop = [k](auto& list) { list.erase(list.begin() + ptrdiff_t(k)); };
      drop(s.pattern), drop(x.adjoints), drop(x.f.body.result);
      context_.stats.count("ad.zero_seeds");
    }
    drop_unused(p_, context_, x.f.body);
  }
  // Few seeds of a known number stand side by side in any case.
  bool is_sparse_for(const Screma& map, Source at) {
    auto known = const_of(map.width);
    if (known && known->as_i64() <= costs::ad::few_seeds) return false;
    if (is_sparse(p_, context_, map.pre, made_)) return true;
    bool band = has_narrow_sums(p_, context_, map, made_);
    if (band) context_.note({Note::Kind::Band, at, ""});
    return band;
  }
  void note_zeros(const Stm& s, const std::vector<Atom>& seeds, const std::vector<Atom>& of) {
    for (size_t k = 0; k < seeds.size(); k++) {
      auto v = var_of(of[k]);
      if (zeros_->contains(seeds[k]) && is_float_type(p_.type(seeds[k])))
        context_.note({Note::Kind::Zero, s.source, v ? p_.hint(*v) : ""});
    }
  }
  // A batch of seeds that a map makes from comparisons or updates: a map of derivatives, if that leaves out what the zeros of the
  // seeds leave out.
  template <class Op> std::optional<std::vector<Atom>> one_by_one(Builder& b, const Op& op, std::vector<Atom> Op::* seeds) {
    const Screma* map = nullptr;
    std::vector<Atom> rows;
    for (const Atom& a : op.*seeds) {
      auto x = made_.get<Screma>(a);
      if (!x || (map && x != map) || !is_map(*x)) return {};
      map = x;
      rows.push_back(x->pre.body.result[number_of(*made_.of(a), *var_of(a))]);
    }
    if (!map || op.batch.size() != 1 || op.batch[0] != map->width) return {};
    if (std::ranges::any_of(map->inputs, [&](Var v) { return is_acc(p_.type(v)); })) return {};
    Screma one_each;
    one_each.width = map->width;
    one_each.inputs = map->inputs;
    Lambda& each = one_each.pre;
    each = Lambda{map->pre.params, map->pre.body};
    each.body.result = rows;
    each = clone(p_, each);
    keep_needed(p_, each.body);
    bool chosen = false;
    each_stm(each.body, [&](const Stm& s) {
      auto x = std::get_if<Apply>(&s.exp);
      chosen = chosen || (x && (x->op == ScalarOp::eq || x->op == ScalarOp::lt || x->op == ScalarOp::le)) || std::holds_alternative<Update>(s.exp);
    });
    if (!chosen) return {};
    Builder inside(p_, each.body.stms);
    inside.source = b.source;
    Exp one = clone(p_, Exp{op});
    std::get<Op>(one).batch = {};
    std::get<Op>(one).*seeds = each.body.result;
    std::vector<Var> out = inside.bind("d", std::move(one));
    each.body.result.assign(out.begin() + isize(op.f.body.result), out.end());
    body(each.body, {false, {true, {map->width}}});
    if (!context_.refused.empty() || !is_sparse_for(one_each, b.source)) return {};
    std::vector<Atom> values = b.inline_call(op.f, op.at);
    for (Var v : b.bind("d", std::move(one_each))) values.push_back(v);
    return values;
  }
  struct Around { bool differentiated = false; ad::Around parallel = {}; };   // another operator, parallel operations
  bool body(Body& whole, Around around) {
    bool found = false;
    rewrite(p_, whole, [&](Builder& b, Stm& s, Subst& results) {
      bool inner = false, one = is_operator(s.exp);
      Around inside{around.differentiated || one, around.parallel};
      inside.parallel.parallel = around.parallel.parallel || ad::is_parallel(s.exp);
      if (auto map = std::get_if<Screma>(&s.exp)) inside.parallel.widths.push_back(map->width);
      std::vector<Type> point;
      if (!around.differentiated && context_.target != Target::Gpu) point = point_of_seeds(s);
      walk_parts(s, [&](Body& part) { inner = body(part, inside) || inner; });
      found = found || inner || one;
      if (!point.empty() && !holds_operators(s)) {
        auto& map = std::get<Screma>(s.exp);
        if (is_sparse_for(map, s.source)) return false;
        std::vector<Var> values = ad::in_chunks(b, context_, map.width, std::move(map.pre), map.inputs, point);
        for (size_t i = 0; i < s.pattern.size(); i++) results.emplace(s.pattern[i].var, values[i]);
        return true;
      }
      if (!one || inner || !context_.refused.empty()) return false;
      bool waits = false;
      walk_parts(s, [&](const Body& part) {
        for (size_t f : reached_from(part)) waits = waits || holds_operator_[f];
      });
      if (waits) {
        postponed_ = s.source;
        return false;
      }
      if (auto x = std::get_if<Vjp>(&s.exp)) {
        note_zeros(s, x->adjoints, x->f.body.result);
        drop_zeros(s, *x);
      }
      if (auto x = std::get_if<Jvp>(&s.exp)) note_zeros(s, x->tangents, x->at);
      std::optional<std::vector<Atom>> sparse_values;
      if (!around.differentiated)
        sparse_values = match(s.exp, [&](const Vjp& x) { return one_by_one(b, x, &Vjp::adjoints); },
                              [&](const Jvp& x) { return one_by_one(b, x, &Jvp::tangents); }, [](const auto&) { return std::optional<std::vector<Atom>>{}; });
      std::vector<Atom> values = sparse_values ? std::move(*sparse_values) : match(s.exp,
          [&](Vjp& x) { return ad::expand_vjp(b, functions_, std::move(x), *zeros_, around.differentiated, around.parallel); },
          [&](Jvp& x) { return ad::expand_jvp(b, functions_, std::move(x), *zeros_, around.differentiated); },
          [](auto&) { return std::vector<Atom>{}; });
      for (size_t i = 0; i < s.pattern.size(); i++) results.emplace(s.pattern[i].var, values.at(i));
      expanded_++;
      context_.stats.count("ad.operators");
      return true;
    });
    return found;
  }
};

}  // namespace

void differentiate(ir::Program& program, PassContext& context) {
  Differentiation pass(program, context);
  while (pass.round()) {
    ad::join_counted(program);
    for (ir::VarInfo& v : program.vars) v.before.clear();
    program.each_body([](ir::Body& b) {
      ir::each_stm(b, [](ir::Stm& s) { if (auto loop = std::get_if<ir::For>(&s.exp)) loop->slots = {}; });
    });
    if (context.done()) break;
    run(between_rounds(), program, context);
  }
  program.each_body([&](ir::Body& b) { pass.drop_custom(b); });
}

}  // namespace raido
