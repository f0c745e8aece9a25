// facts.cc - proofs by elimination. An index with a negative coefficient is replaced by its largest value, one with a
// positive coefficient by its least. In the end only sizes with nonnegative coefficients are left. Where there is an
// index, its largest value is not negative, which may help what is left.
#include "compiler/ir/analysis/facts.h"

#include <algorithm>
#include <functional>

#include "compiler/ir/analysis/defs.h"
#include "compiler/ir/analysis/flow.h"

namespace raido::ir {
namespace {

// The values of an integer type that is narrower than 64 bits.
std::optional<Facts::Range> range_of(Scalar type) {
  if (!is_integer(type) || bytes_of(type) == 8) return {};
  i64 values = i64{1} << (8 * bytes_of(type));
  if (is_unsigned(type)) return Facts::Range{0, values - 1};
  return Facts::Range{-values / 2, values / 2 - 1};
}

// k * index <= times(k, divisor) * top, where 0 <= divisor * index <= top and 0 <= k.
i64 times(i64 k, i64 divisor) { return k / divisor + (k % divisor != 0); }

}  // namespace

void Facts::bound(Var v) {
  if (auto a = std::get_if<ArrayType>(&p_.type(v)))
    for (const Dim& d : a->shape)
      if (auto n = var_of(d)) size(*n);
}
void Facts::size(Var n) {
  if (size_.contains(n)) return;
  size_.insert(n);
  size_log_.push_back(n);
  settle(n);
}
void Facts::forget_since(size_t mark) {
  for (; size_log_.size() > mark; size_log_.pop_back()) {
    size_.erase(size_log_.back());
    unsettle(size_log_.back());
  }
}
// let last = sub [n, 1] stands before the array of n elements that says that n is a size.
void Facts::settle(Var n) {
  auto found = waits_.find(n);
  if (found == waits_.end()) return;
  for (const auto& [v, e] : found->second) {
    if (form_.contains(v)) continue;
    arithmetic(v, e);
    if (form_.contains(v)) settle(v);
  }
}
void Facts::unsettle(Var n) {
  auto found = waits_.find(n);
  if (found == waits_.end()) return;
  for (const auto& [v, e] : std::unordered_map(found->second)) {
    products_.erase(v);
    wraps_.erase(v);
    if (form_.erase(v) > 0) unsettle(v);
    tells_.erase(v);
    if (e.op == ScalarOp::lt || e.op == ScalarOp::le) arithmetic(v, e);   // says something of opaque variables, too, whatever is assumed here
  }
}
void Facts::forget_definitions(size_t from, size_t to) {
  for (size_t k = from; k < to; k++) {
    Var v = defined_[k];
    for (auto known : {&form_, &wraps_, &at_most_, &raised_}) known->erase(v);
    upper_.erase(v);
    lower_.erase(v);
    range_.erase(v);
    products_.erase(v);
    counts_.erase(v);
    tells_.erase(v);
    indexed_.erase(v);
    not_negative_.erase(v);
  }
  defined_.erase(defined_.begin() + ptrdiff_t(from), defined_.begin() + ptrdiff_t(to));
}
void Facts::index(Var i, const Dim& n) {
  indexed_.insert(i);
  if (auto last = form(n)) upper_[i] = {{*last - 1}};
}
void Facts::define(Var v, const Exp& e) {
  if (std::holds_alternative<If>(e) || std::holds_alternative<Apply>(e) || std::holds_alternative<Iota>(e) ||
      std::holds_alternative<Convert>(e) || std::holds_alternative<Identity>(e)) {
    defined_.push_back(v);
    upper_.erase(v);                                     // what the same walk found before; the least value stays, other forms may stand on it
  }
  if (auto choice = std::get_if<If>(&e)) return condition(v, *choice);
  if (auto iota = std::get_if<Iota>(&e); iota && is_const(iota->start, 0) && is_const(iota->step, 1) && elem_of(p_.type(v)) == Scalar::I64)
    counts_[v] = iota->n;
  if (!is_scalar(p_.type(v))) return;
  if (auto x = std::get_if<Convert>(&e)) return converted(v, *x);
  if (auto x = std::get_if<Identity>(&e); x && is_integer(elem_of(p_.type(v))))
    if (auto l = form(x->value)) return known_form(v, *l);
  auto apply = std::get_if<Apply>(&e);
  if (!apply) return;
  if (apply->op == ScalarOp::select) return choice(v, *apply);
  if ((apply->op == ScalarOp::and_ || apply->op == ScalarOp::or_) && elem_of(p_.type(v)) == Scalar::Bool)
    return tells_all(v, apply->op == ScalarOp::and_, apply->args);
  if (apply->op == ScalarOp::not_ && elem_of(p_.type(v)) == Scalar::Bool) return tells_opposite(v, apply->args[0]);
  if (apply->args.size() == 2 && is_integer(elem_of(p_, apply->args[0]))) arithmetic(v, *apply);
}
void Facts::bind(const Stm& s) {
  for (Bind x : s.pattern) bound(x.var);
  if (auto check = std::get_if<Assert>(&s.exp)) checked_.insert_or_assign(s.pattern[0].var, check->cond);
  size_t mark = assumed_.size();
  for (Var c : s.checks)
    if (auto found = checked_.find(c); found != checked_.end()) assume(found->second, true);
  for (Bind x : s.pattern) define(x.var, s.exp);
  assumed_.resize(mark);
}
void Facts::arithmetic(Var v, const Apply& e) {
  const Atom &first = e.args[0], &second = e.args[1];
  Scalar type = elem_of(p_, first);
  if (type != Scalar::I64) {
    narrow(v, e);
  } else {
    switch (e.op) {
      case ScalarOp::min: return least(v, first, second);
      case ScalarOp::max: return largest(v, first, second);
      case ScalarOp::mod: return remainder(v, second);
      case ScalarOp::rem: if (not_negative(first)) remainder(v, second); return;
      case ScalarOp::div: case ScalarOp::quot: return quotient(v, first, second);
      case ScalarOp::and_: return mask(v, first, second);
      case ScalarOp::shr:
        if (auto c = const_of(second); c && c->as_i64() >= 0 && c->as_i64() < 20) quotient(v, first, i64_const(i64{1} << c->as_i64()));
        return;
      default: break;                                    // below, if it has a form
    }
  }
  auto x = value(first), y = value(second);
  if (!x || !y) return;
  auto holds = [&](const Affine& l) { tells_[v] = {std::vector{-1 * l - 1}, std::vector{l}}; };
  if (e.op == ScalarOp::lt) holds(*y - *x - 1);
  else if (e.op == ScalarOp::le) holds(*y - *x);
  else if (e.op == ScalarOp::eq) tells_[v] = {apart(*y - *x), std::vector{*y - *x, *x - *y}};
  bool known = true;
  for (const Atom& a : {first, second}) {
    if (form(a)) continue;
    known = false;
    if (auto u = var_of(a); u && type == Scalar::I64) waits_[*u].insert_or_assign(v, e);
  }
  if (!known) return;
  auto made = [&](Affine sum) {
    if (fits(sum, type)) return known_form(v, sum);
    auto all = range_of(type);
    if (all && sum.constant > all->high / 2) sum.constant -= all->high - all->low + 1;   // x + 250 is x - 6, of 8 bits
    if (sum.is_small()) wraps_.insert_or_assign(v, sum);
  };
  if (e.op == ScalarOp::add) made(*x + *y);
  else if (e.op == ScalarOp::sub) made(*x - *y);
  else if (e.op == ScalarOp::mul && x->is_constant()) made(x->constant * *y);
  else if (e.op == ScalarOp::mul && y->is_constant()) made(y->constant * *x);
  else if (e.op == ScalarOp::mul && type == Scalar::I64 && not_negative(first) && not_negative(second)) products_[v] = {first, second};
}
void Facts::known_form(Var v, const Affine& l) {
  if (l.is_small()) form_[v] = l;
}

// What is not 0 and has a sign is at least 1, or at most -1.
std::vector<Affine> Facts::apart(const Affine& difference) const {
  for (const Affine& l : {difference, -1 * difference})
    if (nonnegative(l)) return {l - 1};
  return {};
}

// What runs x * y times runs only where neither is 0, and what runs max 0 x times where that is x.
void Facts::runs(const Dim& n) {
  if (auto l = form(n)) assumed_.push_back(*l - 1);
  auto v = var_of(n);
  if (auto found = v ? products_.find(*v) : products_.end(); found != products_.end())
    for (const Atom& factor : found->second) runs(factor);
  if (auto found = v ? raised_.find(*v) : raised_.end(); found != raised_.end())
    for (const Affine& known : {found->second - 1, found->second - Affine(*v)}) assumed_.push_back(known);
}
size_t Facts::enter(const Exp& e) {
  size_t mark = assumed_.size();
  match(e,
        [&](const For& x) {
          index(x.i.var, x.n);
          runs(x.n);
          for (Bind y : x.state) bound(y.var);
        },
        [&](const While& x) { for (Bind y : x.state) bound(y.var); },
        [&](const Screma& x) {
          elements(x.inputs, x.pre);
          if (is_map(x)) runs(x.width);                  // operators may run on no elements, too
        },
        [&](const Hist& x) { elements(x.inputs, x.pre); },
        [&](const Seg& x) {
          for (size_t i = 0; i < x.index.size(); i++) index(x.index[i].var, x.extent[i]);
          if (x.reduces.empty() && x.scans.empty()) for (const Dim& n : x.extent) runs(n);
        },
        [&](const auto&) {});                            // no facts
  return mark;
}
void Facts::elements(const std::vector<Var>& inputs, const Lambda& f) {
  for (size_t i = 0; i < inputs.size() && i < f.params.size(); i++) {
    bound(inputs[i]);
    if (auto n = counts_.find(inputs[i]); n != counts_.end()) index(f.params[i].var, n->second);
  }
}
// A state that is always one of some numbers, none of them negative, is an index: the place of the least element so far, for instance.
// Of those that the body computes, remainders by constants count. After the loop, which may not run, this holds where the largest is a constant.
void Facts::chosen_states(const Stm& s) {
  auto counted = std::get_if<For>(&s.exp);
  auto loop = std::get_if<While>(&s.exp);
  if (!counted && !loop) return;
  const std::vector<Bind>& state = counted ? counted->state : loop->state;
  auto is_number = [&](Bind b) { return is_scalar(p_.type(b.var)) && is_integer(elem_of(p_.type(b.var))); };
  if (std::ranges::none_of(state, is_number)) return;
  std::unordered_map<Var, std::vector<Atom>> sources;
  std::unordered_map<Var, Affine> remainders;            // the largest
  std::function<void(const Stm&)> follow = [&](const Stm& x) {
    if (auto apply = std::get_if<Apply>(&x.exp))
      if (auto most = largest_remainder(*apply)) remainders.emplace(x.pattern[0].var, *most);
    each_flow(p_, x, [&](const Atom& from, Var to, Flow how) { if (how == Flow::Same) sources[to].push_back(from); },
              [&](const Body& inner) { for (const Stm& y : inner.stms) follow(y); });
  };
  follow(s);
  VarSet inside = bound_in(s);
  for (size_t k = 0; k < state.size(); k++) {
    if (!is_number(state[k])) continue;
    std::vector<Atom> open{state[k].var}, numbers;
    VarSet seen;
    while (!open.empty()) {
      const Atom a = open.back();
      open.pop_back();
      auto v = var_of(a);
      auto from = v ? sources.find(*v) : sources.end();
      if (from == sources.end()) { numbers.push_back(a); continue; }
      if (seen.contains(*v)) continue;
      seen.insert(*v);
      open.insert(open.end(), from->second.begin(), from->second.end());
    }
    std::vector<Affine> tops;
    for (const Atom& a : numbers) {
      auto v = var_of(a);
      if (auto found = v ? remainders.find(*v) : remainders.end(); found != remainders.end()) {
        tops.push_back(found->second);
        continue;
      }
      const bool counter = v && counted && *v == counted->i.var;
      auto l = v && !counter && inside.contains(*v) ? std::nullopt : form(a);
      if (!l || !nonnegative(*l) || (counter && uppers(*v).empty())) break;
      tops.push_back(counter ? uppers(*v)[0].top : *l);
    }
    auto largest = std::ranges::find_if(tops, [&](const Affine& top) {
      return std::ranges::all_of(tops, [&](const Affine& other) { return nonnegative(top - other); });
    });
    if (tops.size() < numbers.size() || largest == tops.end()) continue;
    auto is_index = [&](Var v) { upper_.erase(v); bounded(v, *largest); };
    is_index(state[k].var);
    if (loop) is_index(loop->cond.params[k].var);
    if (!largest->is_constant()) continue;
    defined_.push_back(s.pattern[k].var);
    is_index(s.pattern[k].var);
  }
}
size_t Facts::assume(const Atom& condition, bool holds) {
  size_t mark = assumed_.size();
  auto v = var_of(condition);
  if (!v) return mark;
  if (auto found = tells_.find(*v); found != tells_.end())
    assumed_.insert(assumed_.end(), found->second[holds].begin(), found->second[holds].end());
  return mark;
}
// What was made of an index before the branch gets its form where that is little: a chain of many branches would do all of it in each of them.
std::vector<Facts::Chosen> Facts::indices_since(size_t mark) {
  constexpr size_t most_waiting = 32;
  std::vector<Chosen> found;
  auto has_opaque = [&](const Affine& l) { return any_term(l, [&](Var v) { return opaque(v); }); };
  for (size_t k = mark; k < assumed_.size(); k++)
    for (auto [v, factor] : Affine(assumed_[k]).terms) {
      if (!opaque(v) || form_.contains(v) || !nonnegative(Affine(v))) continue;
      for (const Affine& known : assumed_)
        if (Affine top = known.without(v); known.factor(v) == -1 && !has_opaque(top)) bounded(v, top);
      if (opaque(v)) continue;
      auto waiting = waits_.find(v);
      found.push_back({v, waiting != waits_.end() && waiting->second.size() <= most_waiting});
      if (found.back().settled) settle(v);
    }
  return found;
}
void Facts::unbounded(const Chosen& x) {
  indexed_.erase(x.index);
  upper_.erase(x.index);
  if (x.settled) unsettle(x.index);
}
// A conjunction that is true says what all its parts say, a disjunction that is false likewise.
void Facts::tells_all(Var v, bool value, const std::vector<Atom>& parts) {
  std::vector<Affine> all;
  for (const Atom& a : parts)
    if (auto part = var_of(a))
      if (auto found = tells_.find(*part); found != tells_.end()) all.insert(all.end(), found->second[value].begin(), found->second[value].end());
  tells_[v] = {};
  tells_[v][value] = std::move(all);
}
void Facts::tells_opposite(Var v, const Atom& of) {
  auto c = var_of(of);
  auto found = c ? tells_.find(*c) : tells_.end();
  if (found == tells_.end()) return;
  auto [fails, holds] = found->second;
  tells_[v] = {holds, fails};
}
// if a then true else b, if a then b else false: a disjunction and a conjunction.
void Facts::condition(Var v, const If& x) {
  if (x.then_.result.size() != 1) return;
  Atom yes = x.then_.result[0], no = x.else_.result[0];
  for (bool both : {false, true}) {
    auto c = const_of(both ? no : yes);
    if (c && c->type == Scalar::Bool && bool(c->bits) != both) tells_all(v, both, {x.cond, both ? yes : no});
  }
}
// A choice between x and x + n (or x - n) that lies in 0 .. n-1 on both sides, as wrapping around makes it, is an index.
void Facts::choice(Var v, const Apply& select) {
  auto test = var_of(select.args[0]);
  auto found = test ? tells_.find(*test) : tells_.end();
  if (found == tells_.end() || found->second[0].size() != 1 || found->second[1].size() != 1 || !is_integer(elem_of(p_.type(v)))) return;
  auto side = [&](const Atom& a) {
    auto l = form(a);
    auto wraps = l || !var_of(a) ? wraps_.end() : wraps_.find(*var_of(a));
    return wraps == wraps_.end() ? l : wraps->second;
  };
  auto yes = side(select.args[1]), no = side(select.args[2]);
  if (!yes || !no) return;
  Affine n = *yes - *no;
  if (n.terms.size() == 1 ? n.terms[0].factor < 0 : n.constant < 0) n = -1 * n;
  bool is_size = n.terms.size() == 1 && n.constant == 0 && n.terms[0].factor == 1 && size_.contains(n.terms[0].var);
  if (!is_size && !(n.terms.empty() && fits(n - 1, elem_of(p_.type(v))))) return;
  const auto& [fails, holds] = found->second;
  Affine last = n - 1;
  auto follows = [&](const Affine& l, const Affine& from) { return nonnegative(l) || nonnegative(l - from); };
  if (!follows(*yes, holds[0]) || !follows(last - *yes, holds[0]) || !follows(*no, fails[0]) || !follows(last - *no, fails[0])) return;
  bounded(v, last);
}

// Indices that are kept inside of an array: min (n - 1) (max 0 i), max 0 (min (n - 1) i), i mod n. Without a largest value nothing
// may be an index, arithmetic on it could wrap.
void Facts::bounded(Var v, Affine top, i64 divisor) {
  indexed_.insert(v);
  upper_[v].push_back({std::move(top), divisor});
}
const std::vector<Facts::Upper>& Facts::uppers(Var v) const {
  static const std::vector<Upper> none;
  auto found = upper_.find(v);
  return found == upper_.end() ? none : found->second;
}
bool Facts::not_negative(const Atom& a) const {
  auto v = var_of(a);
  if (v && not_negative_.contains(*v)) return true;
  auto l = value(a);
  return l && nonnegative(*l);
}
std::optional<Affine> Facts::top(const Atom& a) const {
  auto v = var_of(a);
  auto found = v ? at_most_.find(*v) : at_most_.end();
  return found != at_most_.end() ? found->second : form(a);
}
std::optional<Affine> Facts::top_of_sizes(Affine l) const {
  for (int tries = 0; tries < 8; tries++) {
    auto index = std::ranges::find_if(l.terms, [&](const Affine::Term& t) { return indexed_.contains(t.var) && !bounds_another(t.var, l); });
    if (index == l.terms.end()) return l;
    auto [v, k] = *index;
    l = l.without(v);
    if (k < 0) {
      if (auto low = lower_.find(v); low != lower_.end()) l.constant += low->second * k;
      continue;
    }
    if (uppers(v).empty()) return {};
    const Upper& upper = uppers(v)[0];
    l.add(upper.top, times(k, upper.divisor));
    if (!l.is_small()) return {};
  }
  return {};
}
void Facts::least(Var v, const Atom& x, const Atom& y) {
  std::optional<Affine> best;
  for (const Atom& a : {x, y}) {
    auto l = top(a);
    bool sizes = l && !any_term(*l, [&](Var w) { return indexed_.contains(w); });
    if (l && (!best || sizes)) best = l;
  }
  if (!best) return;
  if (not_negative(x) && not_negative(y)) bounded(v, *best);
  else at_most_[v] = *best;
}
void Facts::largest(Var v, const Atom& x, const Atom& y) {
  if (!not_negative(x) && !not_negative(y)) return;
  not_negative_.insert(v);
  for (const auto& [zero, raised] : {std::pair{x, y}, {y, x}})
    if (auto l = form(raised); l && is_const(zero, 0)) raised_[v] = *l;
  auto a = top(x), b = top(y);
  if (a) a = top_of_sizes(*a);
  if (b) b = top_of_sizes(*b);
  if (!a || !b) return;
  for (const auto& [above, below] : {std::pair{*a, *b}, {*b, *a}})
    for (i64 more = 0; more < 4; more++)                 // max 0 (i - 1) is at most n - 1 as well
      if (Affine top = above + more; nonnegative(top - below)) return bounded(v, top);
}
void Facts::remainder(Var v, const Atom& n) {
  auto l = form(n);                                    // the remainder's own check may be dead: then x mod 0 is 0
  if (l && nonnegative(*l)) bounded(v, nonnegative(*l - 1) ? *l - 1 : *l);
}

// x / y: an index, if x is not negative and y a positive number. If x < y * z, it is less than z.
void Facts::quotient(Var v, const Atom& x, const Atom& y) {
  if (!not_negative(x)) return;
  if (auto c = const_of(y)) {
    auto most = top(x);
    if (most && c->as_i64() > 0 && Affine(c->as_i64()).is_small()) bounded(v, *most, c->as_i64());
    return;
  }
  auto i = var_of(x);
  if (!i) return;
  for (const auto& [last, once] : uppers(*i)) {
    if (once != 1 || last.constant != -1 || last.terms.size() != 1 || last.terms[0].factor != 1) continue;
    auto product = products_.find(last.terms[0].var);
    if (product == products_.end()) continue;
    for (int k : {0, 1})
      if (auto z = form(product->second[1 - k]), divisor = form(y); product->second[k] == y && z && divisor && nonnegative(*divisor - 1))
        return bounded(v, *z - 1);
  }
}
// Masked bits are not more than a mask that is not negative.
void Facts::mask(Var v, const Atom& x, const Atom& y) {
  for (const Atom& a : {x, y})
    if (auto l = form(a); l && nonnegative(*l)) bounded(v, *l);
}
// A value that fits keeps its form. One of a narrow type is in the range of the type, and so an index that may be negative.
void Facts::converted(Var v, const Convert& x) {
  if (!is_integer(x.to) || !is_integer(elem_of(p_, x.value))) return;
  if (auto l = form(x.value)) {
    if (fits(*l, x.to)) return known_form(v, *l);
    if (is_signed(x.to) && nonnegative(*l)) at_most_[v] = *l;   // it wraps around to something smaller
  }
  auto within = range(x.value);
  if (!within) return;
  if (x.to != Scalar::I64) {
    auto all = range_of(x.to);
    if (!all || within->low < all->low || all->high < within->high) return;
    range_[v] = *within;
  }
  auto narrow = var_of(x.value);
  if (!narrow) return;
  bounded(*narrow, Affine(within->high));
  if (within->low != 0) lower_[*narrow] = within->low;
  if (auto found = at_most_.find(*narrow); found != at_most_.end()) bounded(*narrow, found->second);
  known_form(v, Affine(*narrow));
}
// Of a remainder, or masked bits, of an integer of any value.
std::optional<Affine> Facts::largest_remainder(const Apply& x) const {
  auto known = [&](size_t k) {
    auto c = k < x.args.size() ? const_of(x.args[k]) : nullptr;
    return c && is_integer(c->type) ? c->as_i64() : 0;
  };
  i64 most = 0;
  if (x.op == ScalarOp::mod || (x.op == ScalarOp::rem && is_unsigned(elem_of(p_, x.args[0])))) most = known(1) - 1;
  if (x.op == ScalarOp::and_) most = std::max(known(0), known(1));
  Affine l(most);
  return most > 0 && l.is_small() ? std::optional(l) : std::nullopt;
}
// Those of narrow integers.
void Facts::narrow(Var v, const Apply& x) {
  auto most = largest_remainder(x);
  if (!most) return;
  range_[v] = {0, most->constant};
  bounded(v, *most);
}
std::optional<Facts::Range> Facts::range(const Atom& a) const {
  if (auto v = var_of(a))
    if (auto found = range_.find(*v); found != range_.end()) return found->second;
  return range_of(elem_of(p_, a));
}
bool Facts::fits(const Affine& l, Scalar type) const {
  if (type == Scalar::I64) return true;
  if (type == Scalar::U64) return nonnegative(l);
  auto all = range_of(type);
  return nonnegative(l - all->low) && nonnegative(Affine(all->high) - l);
}

std::optional<Affine> Facts::form(const Atom& a) const {
  if (auto c = const_of(a)) {
    if (!is_integer(c->type) || (c->type == Scalar::U64 && c->as_i64() < 0)) return {};
    Affine number(c->as_i64());
    return number.is_small() ? std::optional(number) : std::nullopt;
  }
  Var v = *var_of(a);
  if (auto found = form_.find(v); found != form_.end()) return found->second;
  if (!size_.contains(v) && !indexed_.contains(v)) return {};
  return Affine(v);
}

std::optional<Affine> Facts::value(const Atom& a) const {
  if (auto l = form(a)) return l;
  auto v = var_of(a);
  return v && is_integer(elem_of(p_, a)) ? std::optional(Affine(*v)) : std::nullopt;
}

bool Facts::nonnegative(const Affine& l) const { return follows(l, 0); }
// From what is assumed: one fact, and for each opaque variable another one.
bool Facts::follows(const Affine& l, int depth) const {
  if (eliminated(l, 0)) return true;
  if (depth == 3) return false;
  auto unknown = [&](const Affine& x) { return std::ranges::find_if(x.terms, [&](const Affine::Term& t) { return opaque(t.var); }); };
  auto cancels = [&](const Affine& known) {
    auto t = unknown(l);
    if (t != l.terms.end()) return known.factor(t->var) == t->factor;
    return any_term(known, [&](Var v) { return l.factor(v) != 0; });
  };
  for (const Affine& known : assumed_) {
    if (!cancels(known)) continue;
    Affine rest = l - known;
    if (unknown(rest) == rest.terms.end() ? eliminated(rest, 0) : follows(rest, depth + 1)) return true;
  }
  auto t = unknown(l);
  auto most = t != l.terms.end() && t->factor < 0 ? at_most_.find(t->var) : at_most_.end();
  return most != at_most_.end() && follows(l.without(t->var) + t->factor * most->second, depth + 1);
}
bool Facts::eliminated(const Affine& l, int depth) const {
  if (depth > 8 || !l.is_small()) return false;
  for (auto [v, k] : l.terms) {
    if (!indexed_.contains(v) || bounds_another(v, l)) continue;
    Affine rest = l.without(v);
    if (k < 0)
      return std::ranges::any_of(uppers(v), [&](const Upper& u) {
        Affine least = rest;
        least.add(u.top, -times(-k, u.divisor));
        return eliminated(least, depth + 1) || (!lower_.contains(v) && least.constant < 0 && eliminated(least - u.top, depth + 1));
      });
    if (auto low = lower_.find(v); low != lower_.end()) rest.constant += low->second * k;
    if (eliminated(rest, depth + 1)) return true;
    return !lower_.contains(v) && rest.constant < 0 &&
           std::ranges::any_of(uppers(v), [&](const Upper& u) { return eliminated(rest - u.top, depth + 1); });
  }
  return l.constant >= 0 && std::ranges::all_of(l.terms, [&](const Affine::Term& t) { return t.factor > 0 && !opaque(t.var); });
}
// Whether another index in l has a largest value that depends on v: it is replaced first.
bool Facts::bounds_another(Var v, const Affine& l) const {
  return any_term(l, [&](Var other) {
    return other != v && std::ranges::any_of(uppers(other), [&](const Upper& u) { return u.top.factor(v) != 0; });
  });
}
std::optional<bool> Facts::less_equal(const Atom& x, const Atom& y) const {
  auto a = value(x), b = value(y);
  if (!a || !b) return {};
  if (nonnegative(*b - *a)) return true;
  if (nonnegative(*a - *b - 1)) return false;
  return {};
}
std::optional<bool> Facts::less(const Atom& x, const Atom& y) const {
  if (auto other = less_equal(y, x)) return !*other;
  return {};
}
std::optional<bool> Facts::equal(const Atom& x, const Atom& y) const {
  auto a = value(x), b = value(y);
  if (!a || !b) return {};
  Affine difference = *a - *b;
  if (difference.is_constant()) return difference.constant == 0;
  if (nonnegative(difference - 1) || nonnegative(-1 * difference - 1)) return false;
  return {};
}

}  // namespace raido::ir
