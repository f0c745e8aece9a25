// scalar_rules.cc - algebra of scalars (S1 to S14). Integer rules are exact modulo 2^w; float rules are exact, but for powers and inverses.
#include "passes/simplify/simplify.h"

#include <cmath>
#include <limits>

#include "compiler/ir/costs.h"

namespace raido::simplification {
namespace {

using namespace ir;

bool zero(const Atom& a) { auto c = const_of(a); return c && is_zero(*c); }
bool one(const Atom& a) { auto c = const_of(a); return c && is_one(*c); }
bool ones(const Atom& a) {                                     // all bits set
  auto c = const_of(a);
  return c && (c->type == Scalar::Bool ? c->bits != 0 : is_integer(c->type) && fold(ScalarOp::not_, c->type, std::span(c, 1)).bits == 0);
}
bool floating(Site& s, const Atom& a) { return is_float(s.elem(a)); }

// op c1 c2   ==>   its value                                                                          [S1]
Rewrite fold_constants(Site&, Apply& x) {
  std::vector<Const> args;
  for (const Atom& a : x.args) {
    auto c = const_of(a);
    if (!c) return no;
    args.push_back(*c);
  }
  if (never_evaluated(x.op, args)) return no;
  Scalar first = args[0].type;
  return Atom(fold(x.op, working_type(x.op, first, args.size() > 1 ? args[1].type : first), args));
}
// op x c (op commutative)   ==>   op c x; variables in order of their age. Not what is to be differentiated  [S2]
// and chooses: where both operands are equal the derivative is that of the first.
Rewrite order_operands(Site& s, Apply& x) {
  if (x.args.size() != 2 || s.elem(x.args[0]) != s.elem(x.args[1]) || !is_commutative(x.op, s.elem(x.args[0]))) return no;
  if (s.p.level == Ad && is_choice(x.op, s.elem(x.args[0]))) return no;
  auto rank = [](const Atom& a) { auto v = var_of(a); return v ? int64_t(v->index) + 1 : 0; };
  if (rank(x.args[0]) <= rank(x.args[1])) return no;
  std::swap(x.args[0], x.args[1]);
  return changed();
}
// x+0, x-0, x*1, x/1, x*0 (integers), x-x, x&x, min(x,x), ..                                          [S3]
Rewrite identities(Site& s, Apply& x) {
  if (x.args.size() != 2) return no;
  const Atom &a = x.args[0], &b = x.args[1];
  bool floats = floating(s, a);
  Scalar t = s.elem(a);
  bool same = a == b;
  switch (x.op) {
    case ScalarOp::add:
      if (zero(a)) return b;
      if (zero(b)) return a;
      return no;
    case ScalarOp::sub:
      if (zero(b)) return a;
      if (same && !floats) return Atom(integer_constant(t, 0));
      if (zero(a) && !floats) return apply(ScalarOp::neg, {s.term(b)});
      return no;
    case ScalarOp::mul:
      if (one(a)) return b;
      if (one(b)) return a;
      if (!floats && (zero(a) || zero(b))) return Atom(integer_constant(t, 0));
      if (auto c = const_of(a); c && floats && c->as_f64() == -1) return apply(ScalarOp::neg, {s.term(b)});
      return no;
    case ScalarOp::div: case ScalarOp::quot:
      if (one(b)) return a;
      return no;
    case ScalarOp::pow:
      if (one(b)) return a;
      return no;
    case ScalarOp::and_:
      if (same || ones(a)) return b;
      if (ones(b)) return a;
      if (zero(a) || zero(b)) return Atom(integer_constant(t, 0));
      return no;
    case ScalarOp::or_:
      if (same || zero(a)) return b;
      if (zero(b)) return a;
      if (ones(a)) return a;
      if (ones(b)) return b;
      return no;
    case ScalarOp::xor_:
      if (zero(a)) return b;
      if (zero(b)) return a;
      if (same) return Atom(integer_constant(t, 0));
      return no;
    case ScalarOp::min: case ScalarOp::max:
      if (same) return a;
      return no;
    case ScalarOp::shl: case ScalarOp::shr: case ScalarOp::lshr:
      if (zero(b)) return a;
      return no;
    default: return no;
  }
}
// c1 + (c2 + x)   ==>   (c1+c2) + x; likewise *; integers                                             [S4]
// (a + b) - b   ==>   a, a - (a - b)   ==>   b, of integers
Rewrite reassociate(Site& s, Apply& x) {
  if (x.args.size() != 2 || !is_integer(s.elem(x.args[0]))) return no;
  Scalar t = s.elem(x.args[0]);
  if (x.op == ScalarOp::add || x.op == ScalarOp::mul) {
    auto c = const_of(x.args[0]);
    auto inner = s.definition<Apply>(x.args[1]);
    auto d = c && inner && inner->op == x.op ? const_of(inner->args[0]) : nullptr;
    if (!d) return no;
    Const both[] = {*c, *d};
    x.args = {fold(x.op, t, both), inner->args[1]};
    return changed();
  }
  if (x.op != ScalarOp::sub) return no;
  if (auto sum = s.definition<Apply>(x.args[0]); sum && sum->op == ScalarOp::add) {
    if (sum->args[1] == x.args[1]) return sum->args[0];
    if (sum->args[0] == x.args[1]) return sum->args[1];
  }
  if (auto rest = s.definition<Apply>(x.args[1]); rest && rest->op == ScalarOp::sub && rest->args[0] == x.args[0]) return rest->args[1];
  if (auto c = const_of(x.args[1])) {                            // x - c   ==>   -c + x
    Const minus = fold(ScalarOp::neg, t, std::span(c, 1));
    x = Apply{ScalarOp::add, {minus, x.args[0]}};
    return changed();
  }
  return no;
}
// x div n ==> 0, x mod n ==> x where 0 <= x < n; x mod n ==> x wrapped around once where -n <= x < n or n k <= x < n (k + 2), k = 0, 1;
// (c + i) mod n ==> (c mod n + i) mod n where 0 <= i < n, for a constant c: loops over i compute c mod n once; the other way round where
// that is then wrapped around once                                                                                                        [S6]
Rewrite division(Site& s, Apply& x) {
  bool remainder = x.op == ScalarOp::mod || x.op == ScalarOp::rem;
  if (!remainder && x.op != ScalarOp::div && x.op != ScalarOp::quot) return no;
  const Scalar type = s.elem(x.args[0]);
  if (!is_integer(type)) return no;
  auto a = s.facts.form(x.args[0]), n = s.facts.form(x.args[1]);
  if (!a || !n || !var_of(x.args[0])) return no;
  auto nonnegative = [&](const Affine& l) { return s.facts.nonnegative(l); };
  const Affine one = 1;
  auto sum = s.definition<Apply>(x.args[0]);
  if (sum && sum->op != ScalarOp::add) sum = nullptr;
  for (size_t k : {0, 1}) {
    auto part = sum && x.op == ScalarOp::mod ? s.definition<Apply>(sum->args[k]) : nullptr;
    auto c = part && part->op == ScalarOp::mod && part->args[1] == x.args[1] ? const_of(part->args[0]) : nullptr;
    auto i = c && c->type == Scalar::I64 ? s.facts.form(sum->args[1 - k]) : std::nullopt;
    if (!i) continue;
    const Affine whole = *i + c->as_i64();
    bool near = nonnegative(whole) ? nonnegative(2 * *n - whole - one) : nonnegative(whole + *n) && nonnegative(*n - whole - one);
    if (!near) continue;
    x.args[0] = (s.term(*c) + s.term(sum->args[1 - k])).atom;
    return changed();
  }
  bool low = nonnegative(*a), high = nonnegative(*n - *a - one);
  if (low && high) return remainder ? x.args[0] : Atom(integer_constant(type, 0));
  if (!remainder || (x.op == ScalarOp::rem && !low)) return no;
  Term value = s.term(x.args[0]), size = s.term(x.args[1]), none = s.term(integer_constant(type, 0));
  for (i64 k : {0, 1}) {
    const Affine rest = *a - k * *n;
    if (!nonnegative(rest) || !nonnegative(2 * *n - rest - one)) continue;
    Term once = k == 0 ? value : value - size, twice = once - size, below = lt(once, size);
    return select({below, once, twice});
  }
  if (high && nonnegative(*a + *n)) {
    Term wrapped = value + size, below = lt(value, none);
    return select({below, wrapped, value});
  }
  auto c = sum && type == Scalar::I64 ? const_of(sum->args[0]) : nullptr;   // narrow sums of two numbers below n may wrap around
  auto i = c ? s.facts.form(sum->args[1]) : std::nullopt;
  if (!i || const_of(x.args[1]) || x.op != ScalarOp::mod || !nonnegative(*i) || !nonnegative(*n - *i - one)) return no;
  Term once = s.term(sum->args[1]) + apply(ScalarOp::mod, {s.term(*c), size});
  Term below = lt(once, size), twice = once - size;
  return select({below, once, twice});
}
// comparisons decided by the ranges of sizes and indices, of unsigned numbers, or of equal operands   [S7]
Rewrite decide(Site& s, Apply& x) {
  std::optional<bool> known;
  switch (x.op) {
    case ScalarOp::lt: known = s.facts.less(x.args[0], x.args[1]); break;
    case ScalarOp::le: known = s.facts.less_equal(x.args[0], x.args[1]); break;
    case ScalarOp::eq: known = s.facts.equal(x.args[0], x.args[1]); break;
    case ScalarOp::ne: known = s.facts.equal(x.args[0], x.args[1]); if (known) known = !*known; break;
    case ScalarOp::max: {
      auto greater = s.facts.less_equal(x.args[0], x.args[1]);
      if (!greater) return no;
      return *greater ? x.args[1] : x.args[0];
    }
    case ScalarOp::min: {
      auto greater = s.facts.less_equal(x.args[0], x.args[1]);
      if (!greater) return no;
      return *greater ? x.args[0] : x.args[1];
    }
    default: return no;
  }
  if (is_unsigned(s.elem(x.args[0]))) {
    if (x.op == ScalarOp::lt && is_const(x.args[1], 0)) known = false;
    if (x.op == ScalarOp::le && is_const(x.args[0], 0)) known = true;
  }
  if (known) return Atom(bool_const(*known));
  if (x.args[0] == x.args[1] && !floating(s, x.args[0])) return Atom(bool_const(x.op == ScalarOp::le || x.op == ScalarOp::eq));
  return no;
}
// not (not x)   ==>   x                                                                                [S8]
Rewrite logic(Site& s, Apply& x) {
  if (x.op == ScalarOp::not_ || x.op == ScalarOp::neg) {
    auto inner = s.definition<Apply>(x.args[0]);
    if (inner && inner->op == x.op) return inner->args[0];
  }
  return no;
}
// select: known condition, equal arms, a choice between true and false                                [S9]
Rewrite selection(Site& s, Apply& x) {
  if (x.op != ScalarOp::select) return no;
  if (auto c = const_of(x.args[0])) return c->bits ? x.args[1] : x.args[2];
  if (x.args[1] == x.args[2]) return x.args[1];
  if (s.elem(x.args[1]) == Scalar::Bool) {
    auto y = const_of(x.args[1]), z = const_of(x.args[2]);
    if (y && z) return y->bits ? x.args[0] : Atom(apply(ScalarOp::not_, {s.term(x.args[0])}).atom);
    if (y) return y->bits ? apply(ScalarOp::or_, {s.term(x.args[0]), s.term(x.args[2])})
                          : apply(ScalarOp::and_, {not_(s.term(x.args[0])), s.term(x.args[2])});
    if (z) return z->bits ? apply(ScalarOp::or_, {not_(s.term(x.args[0])), s.term(x.args[1])})
                          : apply(ScalarOp::and_, {s.term(x.args[0]), s.term(x.args[1])});
  }
  return no;
}
// select c x 0 + select c 0 y   ==>   select c x y                                                     [S14]
Rewrite sum_of_choices(Site& s, Apply& x) {
  if (x.op != ScalarOp::add) return no;
  auto a = s.definition<Apply>(x.args[0]), b = s.definition<Apply>(x.args[1]);
  if (!a || !b || a->op != ScalarOp::select || b->op != ScalarOp::select || a->args[0] != b->args[0]) return no;
  if (zero(b->args[1]) && zero(a->args[2])) x = Apply{ScalarOp::select, {a->args[0], a->args[1], b->args[2]}};
  else if (zero(a->args[1]) && zero(b->args[2])) x = Apply{ScalarOp::select, {a->args[0], b->args[1], a->args[2]}};
  else return no;
  return changed();
}
// Whether each number of type `of` is one of type t.
bool has_all_numbers(Scalar t, Scalar of) {
  if (is_integer(t)) return is_integer(of) && bytes_of(of) < bytes_of(t) && (is_signed(t) || !is_signed(of));
  if (!is_float(t)) return false;
  const int digits = t == Scalar::F64 ? 53 : t == Scalar::F32 ? 24 : 11;
  return is_float(of) ? bytes_of(of) <= bytes_of(t) : is_integer(of) && 8 * int(bytes_of(of)) <= digits;
}
// convert t x at type t   ==>   x; an integer through a type that it fits into   ==>   x               [S10]
// convert i64 (x + y)   ==>   convert i64 x + convert i64 y, where the narrow sum does not wrap around; likewise - and *
// convert t (convert u x)   ==>   convert t x, where u has all numbers of the type of x
Rewrite conversions(Site& s, Convert& x) {
  Scalar from = s.elem(x.value);
  if (from == x.to) return x.value;
  if (auto c = const_of(x.value)) return Atom(raido::convert(x.to, *c));
  auto form = from == Scalar::I64 ? std::nullopt : s.facts.form(x.value);
  bool fits = form && !(*form == Affine(*var_of(x.value)));   // what it is made of fits; a variable alone may have wrapped around
  auto sum = s.definition<Apply>(x.value);
  if (sum && fits && x.to == Scalar::I64 && (sum->op == ScalarOp::add || sum->op == ScalarOp::sub || sum->op == ScalarOp::mul))
    return apply(sum->op, {convert(x.to, s.term(sum->args[0])), convert(x.to, s.term(sum->args[1]))});
  auto inner = s.definition<Convert>(x.value);
  if (!inner) return no;
  Scalar origin = s.elem(inner->value);
  bool widens = is_integer(origin) && is_integer(from) && bytes_of(origin) <= bytes_of(from);
  if ((widens || (fits && is_integer(origin))) && origin == x.to) return inner->value;
  if (!has_all_numbers(from, origin)) return no;
  x.value = inner->value;
  return changed();
}
// x ** 2   ==>   x * x; small powers likewise; x ** -1   ==>   1 / x                                    [S11]
// Of f32 and f64 the third and fourth have one rounding more, so --fp-strict keeps them; differentiation knows them as powers.
// x ** 0.5 stays: pow(-inf, 0.5) is inf, sqrt is nan.
Rewrite powers(Site& s, Apply& x) {
  if (x.op != ScalarOp::pow) return no;
  auto c = const_of(x.args[1]);
  if (!c) return no;
  Term y = s.term(x.args[0]);
  if (zero(x.args[1])) return Atom(is_float(c->type) ? constant(c->type, 1) : integer_constant(c->type, 1));
  const double k = c->as_f64();
  if (is_float(c->type) && k == -1) return s.b.number(c->type, 1) / y;
  bool rounds = is_float(c->type), twice = c->type != Scalar::F16 && s.p.level != Ad && !s.context.options.strict_fp;
  if (k < 2 || k != std::floor(k) || k > (!rounds ? costs::most_power : twice ? costs::most_float_power : 2)) return no;
  auto power = [&](auto& self, int n) -> Term {
    if (n == 1) return y;
    Term root = self(self, n / 2), square = root * root;
    return n % 2 == 0 ? square : square * y;
  };
  return power(power, int(k));
}
// log (exp x)   ==>   x, where exp x is finite; --fp-strict keeps the others                          [S13]
// exp (log x)   ==>   x + (if x < 0 then nan else 0)                                                  [S13]
// The sum makes +0 of -0, as the functions do. Differentiation sees the functions: their derivative at 0 and below is not 1.
Rewrite inverses(Site& s, Apply& x) {
  if ((x.op != ScalarOp::log && x.op != ScalarOp::exp) || s.context.options.strict_fp) return no;
  auto inner = s.definition<Apply>(x.args[0]);
  if (inner && x.op == ScalarOp::log && inner->op == ScalarOp::exp) return inner->args[0];
  if (!inner || x.op != ScalarOp::exp || inner->op != ScalarOp::log || s.p.level == Ad) return no;
  Term y = s.term(inner->args[0]), zero = s.b.number(s.elem(inner->args[0]), 0);
  return y + select({lt(y, zero), s.b.number(s.elem(inner->args[0]), std::numeric_limits<double>::quiet_NaN()), zero});
}
// id x   ==>   x, unless a check guards it                                                             [C1]
Rewrite copy_propagation(Site& s, Identity& x) {
  if (!s.stm.checks.empty()) return no;
  for (const Attr& a : s.stm.attrs)
    if (a.name == "trace" || a.name == "opaque" || a.name == "break") return no;
  return x.value;
}

constexpr Rule<Apply> apply_rules[] = {
    {"S1", fold_constants}, {"S2", order_operands}, {"S3", identities}, {"S4", reassociate}, {"S6", division}, {"S7", decide},
    {"S8", logic},          {"S9", selection},      {"S11", powers},       {"S13", inverses},
    {"S14", sum_of_choices}};
constexpr Rule<Convert> convert_rules[] = {{"S10", conversions}};
constexpr Rule<Identity> identity_rules[] = {{"C1", copy_propagation}};

}  // namespace

template <> std::span<const Rule<Apply>> rules<Apply>() { return apply_rules; }
template <> std::span<const Rule<Convert>> rules<Convert>() { return convert_rules; }
template <> std::span<const Rule<Identity>> rules<Identity>() { return identity_rules; }

}  // namespace raido::simplification
