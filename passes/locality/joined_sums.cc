// joined_sums.cc - sums of sums as one sum, so that they are contractions.
//
//   reduce c op (\i -> reduce k op (\j -> e))   ==>   reduce (c * k) op (\p -> let i = p / k; let j = p - i * k in e)              tiles.joined
//
// A convolution adds up over channels and over the places of its window, and a contraction of tensors over two indices. The joined sum has
// a division at each point. A tile does it where it reads an element of its sides, and each of these serves all its rows or columns.
// So only tiles have the joined sum. The same holds for sums over flattened arrays, as windows are: they read the elements of the rows.
// The operator is the same in both sums, and associative: sums of floats keep theirs where these have an order.
#include "passes/locality/joined_sums.h"

#include <algorithm>

#include "compiler/ir/analysis/traits.h"

namespace raido {
using namespace ir;
namespace {

class JoinedSums {
 public:
  JoinedSums(Program& p, const Body& nest, const Definitions& outside, Builder& before) : p_(p), outside_(outside), before_(before), bound_(bound_in(nest)) {}

  bool body(Body& b) {
    bool any = false;
    for (Stm& s : b.stms) {
      if (auto flat = std::get_if<Reshape>(&s.exp)) flattened_.emplace(s.pattern[0].var, *flat);
      walk_parts(s, [&](Body& inner) { any = body(inner) || any; });
      auto outer = std::get_if<Screma>(&s.exp);
      if (Stm* inner = outer ? inner_sum(*outer) : nullptr) {
        s.exp = joined(Screma(std::move(*outer)), *inner);
        any = true;
      } else if (outer && is_sum(*outer) && std::ranges::any_of(outer->inputs, [&](Var v) { return rows_of(v) != nullptr; })) {
        s.exp = numbered(std::move(*outer));
        any = true;
      }
    }
    return any;
  }

 private:
  Program& p_;
  const Definitions& outside_;
  Builder& before_;
  VarSet bound_;                                         // in the nest
  std::unordered_map<Var, Reshape> flattened_;           // of it
  VarSet numbers_;                                       // iotas that were made

  bool is_sum(const Screma& x) const {
    auto width = var_of(x.width);
    return identity_post(x) && x.reduces.size() == 1 && x.scans.empty() && x.post_reduces.empty() && x.pre.body.result.size() == 1 &&
           x.reduces[0].shape.empty() && scalar_operator(p_, x.reduces[0]) && !(width && bound_.contains(*width));
  }
  // What the sum adds up is another one, and everything else there is arithmetic and views.
  Stm* inner_sum(Screma& x) const {
    if (!is_sum(x)) return nullptr;
    Stm* found = nullptr;
    for (Stm& s : x.pre.body.stms) {
      auto y = std::get_if<Screma>(&s.exp);
      if (y && is_sum(*y) && s.checks.empty() && s.attrs.empty() && x.pre.body.result[0] == Atom(s.pattern[0].var)) found = &s;
      else if (!is_step(s.exp) && !std::holds_alternative<Index>(s.exp) && !std::holds_alternative<Permute>(s.exp) && !std::holds_alternative<Reshape>(s.exp)) return nullptr;
    }
    if (!found) return nullptr;
    const Combine &outer = x.reduces[0], &inner = std::get<Screma>(found->exp).reduces[0];
    return scalar_operator(p_, outer) == scalar_operator(p_, inner) && outer.neutral == inner.neutral ? found : nullptr;
  }
  Exp joined(Screma outer, const Stm& s) {
    const Dim inner_width = std::get<Screma>(s.exp).width;
    const Var all = before_.bind1("all", Apply{ScalarOp::mul, {outer.width, inner_width}}), points = numbers(all);
    List<Stm> none;
    Builder b(p_, none);
    Lambda point = b.lambda({{"p", scalar_type(Scalar::I64)}}, [&](const std::vector<Var>& at) {
      const Var i = b.bind1("i", Apply{ScalarOp::quot, {at[0], inner_width}}), start = b.bind1("start", Apply{ScalarOp::mul, {i, inner_width}});
      const Var j = b.bind1("j", Apply{ScalarOp::sub, {at[0], start}});
      const std::unique_ptr<Stm> sum = enter(b, outer, i, &s);
      Screma& inner = std::get<Screma>(sum->exp);
      enter(b, inner, j, nullptr);
      return inner.pre.body.result;
    });
    Screma x;
    x.width = all;
    x.pre = std::move(point);
    x.inputs = {points};
    x.reduces = std::move(outer.reduces);
    return x;
  }
  // The same sum over the numbers of its elements.
  Exp numbered(Screma x) {
    const Var points = numbers(x.width);
    List<Stm> none;
    Builder b(p_, none);
    Lambda point = b.lambda({{"p", scalar_type(Scalar::I64)}}, [&](const std::vector<Var>& at) {
      enter(b, x, at[0], nullptr);
      return x.pre.body.result;
    });
    x.pre = std::move(point);
    x.inputs = {points};
    return x;
  }
  Var numbers(const Dim& n) {
    const Var is = before_.iota(n);
    numbers_.insert(is);
    return is;
  }
  // The view that makes one dimension of several, if the array is one; their sizes are known outside.
  const Reshape* rows_of(Var v) const {
    auto inside = flattened_.find(v);
    const Reshape* flat = inside == flattened_.end() ? outside_.get<Reshape>(v) : &inside->second;
    if (!flat || flat->shape.size() != 1) return nullptr;
    const std::vector<Dim> shape = shape_of(p_.type(flat->array));
    const bool known = std::ranges::none_of(shape, [&](const Dim& n) { auto v = var_of(n); return v && bound_.contains(*v); });
    return shape.size() > 1 && known ? flat : nullptr;
  }
  // Element number `at` of an array.
  Atom element(Builder& b, const std::string& hint, Var from, Var at) {
    const Reshape* flat = rows_of(from);
    if (!flat) return b.index(hint, from, {at});
    const std::vector<Dim> shape = shape_of(p_.type(flat->array));
    std::vector<Atom> place(shape.size());
    for (size_t d = shape.size(); d-- > 1;) {
      const Var q = b.bind1("row", Apply{ScalarOp::quot, {at, shape[d]}}), start = b.bind1("start", Apply{ScalarOp::mul, {q, shape[d]}});
      place[d] = b.bind1("column", Apply{ScalarOp::sub, {at, start}});
      at = q;
    }
    place[0] = at;
    return b.index(hint, flat->array, place);
  }
  // The statements of its body at this element, but for one.
  std::unique_ptr<Stm> enter(Builder& b, Screma& x, Var at, const Stm* without) {
    Subst elements;
    for (size_t k = 0; k < x.inputs.size(); k++) {
      const Var element = x.pre.params[k].var, from = x.inputs[k];
      auto counts = outside_.get<Iota>(from);
      const bool is_number = numbers_.contains(from) || (counts && is_const(counts->start, 0) && is_const(counts->step, 1) && elem_of(p_.type(from)) == Scalar::I64);
      elements.emplace(element, is_number ? Atom(at) : this->element(b, p_.hint(element), from, at));
    }
    std::unique_ptr<Stm> apart;
    for (auto& s : std::exchange(x.pre.body.stms, {}).take()) {
      substitute(p_, *s, elements);
      if (s.get() == without) apart = std::move(s);
      else b.emit(std::move(s));
    }
    substitute(p_, x.pre.body.result, elements);
    return apart;
  }
};

}  // namespace

bool join_sums(Program& p, Body& nest, const Definitions& outside, Builder& before) { return JoinedSums(p, nest, outside, before).body(nest); }

}  // namespace raido
