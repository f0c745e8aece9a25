// facts.cc - proofs by elimination: an index with a negative coefficient is replaced by its largest value, one with a
// positive coefficient by 0, until only sizes with nonnegative coefficients are left (pipeline.md 4.2, degree 1). Where
// there is an index, its largest value is not negative, which may help what is left.
#include "compiler/ir/facts.h"

namespace raido::ir {

Linear operator+(Linear a, const Linear& b) {
  a.constant += b.constant;
  for (auto& [v, k] : b.terms)
    if ((a.terms[v] += k) == 0) a.terms.erase(v);
  return a;
}
Linear operator*(i64 k, Linear a) {
  if (k == 0) return {};
  a.constant *= k;
  for (auto& [v, c] : a.terms) c *= k;
  return a;
}

void Facts::bound(Var v) {
  if (auto a = std::get_if<ArrayType>(&p_.type(v)))
    for (const Dim& d : a->shape)
      if (auto n = var_of(d); n && !size_.contains(*n)) {
        size_.insert(*n);
        size_log_.push_back(*n);
      }
}
void Facts::forget_since(size_t mark) {
  for (; size_log_.size() > mark; size_log_.pop_back()) size_.erase(size_log_.back());
}
void Facts::index(Var i, const Dim& n) {
  indexed_.insert(i);
  if (auto last = linear(n)) upper_[i] = *last + Linear{-1, {}};
}
void Facts::define(Var v, const Exp& e) {
  auto apply = std::get_if<Apply>(&e);
  if (!apply || !is_scalar(p_.type(v))) return;
  if (apply->op == ScalarOp::select) return choice(v, *apply);
  if (apply->op == ScalarOp::and_ && elem_of(p_.type(v)) == Scalar::Bool) {
    both_[v].clear();
    for (const Atom& a : apply->args)
      if (auto part = var_of(a)) both_[v].push_back(*part);
    return;
  }
  if (apply->args.size() != 2 || elem_of(p_, apply->args[0]) != Scalar::I64) return;
  auto x = linear(apply->args[0]), y = linear(apply->args[1]);
  if (!x || !y) return;
  if (apply->op == ScalarOp::lt) holds_[v] = *y - *x + Linear{-1, {}};
  else if (apply->op == ScalarOp::le) holds_[v] = *y - *x;
  else if (apply->op == ScalarOp::add) form_[v] = *x + *y;
  else if (apply->op == ScalarOp::sub) form_[v] = *x - *y;
  else if (apply->op == ScalarOp::mul && x->is_constant()) form_[v] = x->constant * *y;
  else if (apply->op == ScalarOp::mul && y->is_constant()) form_[v] = y->constant * *x;
}

size_t Facts::assume(const Atom& condition, bool holds) {
  size_t mark = assumed_.size();
  auto v = var_of(condition);
  if (!v) return mark;
  if (auto found = holds_.find(*v); found != holds_.end())
    assumed_.push_back(holds ? found->second : -1 * found->second + Linear{-1, {}});
  if (auto found = both_.find(*v); holds && found != both_.end())
    for (Var part : found->second) assume(part, true);
  return mark;
}
// A choice between x and x + n (or x - n) that lies in 0 .. n-1 on both sides, as wrapping around makes it, is an index.
void Facts::choice(Var v, const Apply& select) {
  auto test = var_of(select.args[0]);
  auto found = test ? holds_.find(*test) : holds_.end();
  if (found == holds_.end() || elem_of(p_.type(v)) != Scalar::I64) return;
  auto yes = linear(select.args[1]), no = linear(select.args[2]);
  if (!yes || !no) return;
  Linear n = *yes - *no;
  if (n.terms.size() == 1 && n.terms.begin()->second < 0) n = -1 * n;
  if (n.terms.size() != 1 || n.constant != 0 || n.terms.begin()->second != 1 || !size_.contains(n.terms.begin()->first)) return;
  Linear last = n + Linear{-1, {}}, holds = found->second, fails = -1 * holds + Linear{-1, {}};
  auto follows = [&](const Linear& l, const Linear& from) { return nonnegative(l) || nonnegative(l - from); };
  if (!follows(*yes, holds) || !follows(last - *yes, holds) || !follows(*no, fails) || !follows(last - *no, fails)) return;
  indexed_.insert(v);
  upper_[v] = last;
}

std::optional<Linear> Facts::linear(const Atom& a) const {
  if (auto c = const_of(a)) {
    constexpr i64 large = i64{1} << 40;                  // far from any size: not reasoned about
    if (c->type != Scalar::I64) return {};
    i64 value = c->as_i64();
    if (value > large || value < -large) return {};
    return Linear{value, {}};
  }
  Var v = *var_of(a);
  if (auto found = form_.find(v); found != form_.end()) return found->second;
  if (!size_.contains(v) && !indexed_.contains(v)) return {};
  return Linear{0, {{v, 1}}};
}

bool Facts::nonnegative(const Linear& l) const {
  if (eliminated(l, 0)) return true;
  for (const Linear& known : assumed_)
    for (auto& [v, k] : known.terms)
      if (l.terms.contains(v)) {
        if (eliminated(l - known, 0)) return true;
        break;
      }
  return false;
}
bool Facts::eliminated(const Linear& l, int depth) const {
  if (depth > 8) return false;
  for (auto& [v, k] : l.terms) {
    if (!indexed_.contains(v)) continue;
    Linear rest = l;
    rest.terms.erase(v);
    auto top = upper_.find(v);
    if (k < 0 && top == upper_.end()) return false;
    if (k < 0) rest = rest + k * top->second;
    if (eliminated(rest, depth + 1)) return true;
    return top != upper_.end() && rest.constant < 0 && eliminated(rest - top->second, depth + 1);
  }
  for (auto& [v, k] : l.terms)
    if (k < 0) return false;
  return l.constant >= 0;
}
std::optional<bool> Facts::less_equal(const Atom& x, const Atom& y) const {
  auto a = linear(x), b = linear(y);
  if (!a || !b) return {};
  if (nonnegative(*b - *a)) return true;
  if (nonnegative(*a - *b + Linear{-1, {}})) return false;
  return {};
}
std::optional<bool> Facts::less(const Atom& x, const Atom& y) const {
  if (auto other = less_equal(y, x)) return !*other;
  return {};
}
std::optional<bool> Facts::equal(const Atom& x, const Atom& y) const {
  auto a = linear(x), b = linear(y);
  if (!a || !b) return {};
  Linear difference = *a - *b;
  if (difference.is_constant()) return difference.constant == 0;
  if (nonnegative(difference + Linear{-1, {}}) || nonnegative(-1 * difference + Linear{-1, {}})) return false;
  return {};
}

}  // namespace raido::ir
