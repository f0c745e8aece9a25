// build.cc - Builder's operations, and Terms with the derivative columns of scalar_ops.def compiled as code that emits code.
#include "compiler/ir/build.h"

#include "compiler/ir/term.h"

namespace raido::ir {

std::vector<Var> Builder::bind(const std::vector<std::string>& hints, Exp e) {
  Stm s{{}, std::move(e), checks, source, attrs};
  Types types = types_of(program, s.exp);
  std::vector<Var> vars;
  for (size_t i = 0; i < types.size(); i++) {
    vars.push_back(program.fresh(hints.empty() ? "x" : hints[std::min(i, hints.size() - 1)], types[i]));
    s.pattern.push_back({vars.back()});
  }
  for (Var v : vars)                                   // sizes born inside: the binders just made
    walk(program.vars[v.index].type, [&](Var& d) { if (is_result_number(d)) d = vars.at(number_of_result(d)); });
  out_->push_back(std::move(s));
  return vars;
}
std::vector<Var> Builder::bind(const std::string& hint, Exp e) {
  return bind(std::vector<std::string>{hint}, std::move(e));
}

std::vector<Atom> Builder::inline_once(Lambda&& l, const std::vector<Atom>& args) {
  CHECK(l.params.size() == args.size(), "a lambda of {} parameters is applied to {}", l.params.size(), args.size());
  Subst s;
  for (size_t i = 0; i < args.size(); i++) s.emplace(l.params[i].var, args[i]);
  substitute(program, l.body, s);
  emit_all(std::move(l.body.stms));
  return l.body.result;
}
std::vector<Atom> Builder::inline_call(const Lambda& l, const std::vector<Atom>& args) {
  return inline_once(clone(program, l), args);
}

Atom Builder::replicate(std::vector<Dim> shape, Atom value) {
  if (shape.empty()) return value;
  return bind1("rep", Replicate{std::move(shape), std::move(value)});
}
Atom Builder::zero(const Type& t) { return replicate(shape_of(t), constant(elem_of(t), 0)); }
Atom Builder::index(const std::string& hint, Var array, const std::vector<Atom>& at) {
  if (at.empty()) return array;
  return bind1(hint, Index{array, {at.begin(), at.end()}});
}
Var Builder::slice(const std::string& hint, Var array, Slice outer) { return bind1(hint, Index{array, {outer}}); }
Var Builder::update(Var array, const std::vector<Atom>& at, Atom value) {
  return bind1(program.hint(array), Update{array, {at.begin(), at.end()}, std::move(value)});
}
Var Builder::reverse(Var array) {
  Dim n = shape_of(program.type(array)).at(0);
  Term last = term(n) - 1;
  return slice(program.hint(array), array, Slice{last.atom, n, i64_const(-1)});
}
std::vector<Var> Builder::map(std::string hint, Dim width, Lambda f, std::vector<Var> inputs) {
  return bind(hint, Screma{std::move(width), std::move(inputs), std::move(f), {}, {}, {}, {}});
}
namespace {
Lambda identity_lambda(Builder& b, const std::vector<Var>& inputs) {
  Builder::Params params;
  for (Var v : inputs) params.push_back({"x", row_type(b.program.type(v))});
  return b.lambda(params, [](const std::vector<Var>& xs) { return std::vector<Atom>(xs.begin(), xs.end()); });
}
}  // namespace
std::vector<Var> Builder::reduce(std::string hint, Dim width, Combine op, std::vector<Var> inputs) {
  Lambda pre = identity_lambda(*this, inputs);
  return bind(hint, Screma{std::move(width), std::move(inputs), std::move(pre), {std::move(op)}, {}, {}, {}});
}
std::vector<Var> Builder::scan(std::string hint, Dim width, Combine op, std::vector<Var> inputs) {
  Lambda pre = identity_lambda(*this, inputs);
  return bind(hint, Screma{std::move(width), std::move(inputs), std::move(pre), {}, {std::move(op)}, {}, {}});
}
Combine Builder::combine(ScalarOp op, Scalar s, double neutral) {
  Combine c;
  c.op = lambda({{"a", scalar_type(s)}, {"b", scalar_type(s)}}, [&](const std::vector<Var>& ab) {
    return std::vector<Atom>{bind1("c", Apply{op, {ab[0], ab[1]}})};
  });
  c.neutral = {constant(s, neutral)};
  c.commutative = is_commutative(op, s);
  return c;
}
Combine Builder::combine_rows(ScalarOp op, Scalar s, double neutral, std::vector<Dim> shape) {
  Combine c = combine(op, s, neutral);
  c.shape = std::move(shape);
  return c;
}
Atom Builder::add(std::string hint, Atom x, Atom y) {
  std::vector<Dim> shape = shape_of(program.type(x));
  if (shape.empty()) {
    Term sum = elem_of(program, x) == Scalar::Bool ? apply(ScalarOp::or_, {term(x), term(y)}) : term(x) + term(y);
    return sum.atom;
  }
  return map_all(hint, shape, {*var_of(x), *var_of(y)}, [&](const std::vector<Var>& xy) {
    return std::vector<Atom>{add(hint, xy[0], xy[1])};
  })[0];
}

// ---- Terms ----
namespace {

bool is_number(const Term& t, double value) {
  auto c = const_of(t.atom);
  return c && c->type != Scalar::Bool && c->as_f64() == value;
}

}  // namespace

Term apply(ScalarOp op, const std::vector<Term>& args) {
  Builder& b = *args[0].b;
  std::vector<Atom> atoms;
  std::vector<Const> consts;
  for (const Term& t : args) {
    atoms.push_back(t.atom);
    if (auto c = const_of(t.atom)) consts.push_back(*c);
  }
  Scalar first = args[0].scalar(), s = working_type(op, first, args.size() > 1 ? args[1].scalar() : first);
  if (consts.size() == args.size() && !never_evaluated(op, consts)) return {&b, fold(op, s, consts)};
  switch (op) {
    case ScalarOp::add:
      if (is_number(args[0], 0)) return args[1];
      if (is_number(args[1], 0)) return args[0];
      break;
    case ScalarOp::sub:
      if (is_number(args[1], 0)) return args[0];
      break;
    case ScalarOp::mul:
      if (is_number(args[0], 1)) return args[1];
      if (is_number(args[1], 1)) return args[0];
      if (is_number(args[0], -1)) return -args[1];
      if (is_number(args[1], -1)) return -args[0];
      break;
    case ScalarOp::div:
      if (is_number(args[1], 1)) return args[0];
      break;
    case ScalarOp::select:
      if (auto c = const_of(args[0].atom)) return c->bits ? args[1] : args[2];
      break;
    default: break;
  }
  return {&b, b.bind1(std::string(name_of(op)), Apply{op, std::move(atoms)})};
}
Term convert(Scalar to, const Term& x) {
  if (x.scalar() == to) return x;
  if (auto c = const_of(x.atom)) return {x.b, raido::convert(to, *c)};
  return {x.b, x.b->bind1(std::string(name_of(to)), Convert{to, x.atom})};
}

namespace {

// The names that the derivative columns use: each operation as a function of Terms.
namespace columns {
#define FUNCTION1(name) [[maybe_unused]] Term name(const Term& x) { return apply(ScalarOp::name, {x}); }
#define FUNCTION2(name) [[maybe_unused]] Term name(const Term& x, const Term& y) { return apply(ScalarOp::name, {x, y}); }
FUNCTION1(sgn) FUNCTION1(trunc) FUNCTION1(sqrt) FUNCTION1(exp) FUNCTION1(log) FUNCTION1(sin) FUNCTION1(cos)
FUNCTION1(sinh) FUNCTION1(cosh) FUNCTION1(sinpi) FUNCTION1(cospi) FUNCTION1(isnan)
FUNCTION2(quot) FUNCTION2(pow) FUNCTION2(shl) FUNCTION2(mul_hi) FUNCTION2(hypot) FUNCTION2(copysign) FUNCTION2(ldexp)
FUNCTION2(polygamma)
#undef FUNCTION1
#undef FUNCTION2

// d pow(x, y) / dx with the conventions of docs/ad.md 10 at x = 0.
Term pow_dx(const Term& x, const Term& y) {
  Scalar s = x.scalar();
  Term zero = x.b->number(s, 0), one = x.b->number(s, 1);
  if (auto c = const_of(y.atom)) {
    double e = c->as_f64();
    if (e == 0) return zero;
    if (e == 1) return one;
    if (e == 2) return x.b->number(s, 2) * x;
    if (e == 3) return x.b->number(s, 3) * (x * x);
    if (e > 1) return y * pow(x, y - one);
  }
  Term power = y * pow(x, y - one);
  Term at_zero = select({eq(y, one), one, zero});                  // y < 1 at 0: 0 (docs/ad.md 10)
  return select({eq(y, zero), zero, select({eq(x, zero), at_zero, power})});
}
// 1 or -1: by their sign bits.
Term same_sign(const Term& x, const Term& y) {
  Term one = x.b->number(x.scalar(), 1);
  Term sign_x = apply(ScalarOp::copysign, {one, x}), sign_y = apply(ScalarOp::copysign, {one, y});
  return select({eq(sign_x, sign_y), one, -one});
}
// 1 - x^2, exact to the last bits near 1.
Term one_less_square(const Term& x) {
  Term one = x.b->number(x.scalar(), 1), less = one - x, more = one + x;
  return less * more;
}
// atan2(x, y) is the angle of the point (y, x): y/(x^2+y^2) and -x/(x^2+y^2), scaled by the larger; 0 at the origin.
Term atan2_part(const Term& x, const Term& y, const Term& numerator) {
  Scalar s = x.scalar();
  Term zero = x.b->number(s, 0);
  Term m = apply(ScalarOp::max, {apply(ScalarOp::abs, {x}), apply(ScalarOp::abs, {y})});
  Term u = x / m, v = y / m, uu = u * u, vv = v * v;
  return select({eq(m, zero), zero, numerator / m / (uu + vv) / m});
}
Term atan2_dx(const Term& x, const Term& y) { return atan2_part(x, y, y); }
Term atan2_dy(const Term& x, const Term& y) { return -atan2_part(x, y, x); }

std::optional<Term> derivative(ScalarOp op, Scalar s, int wrt, const Term& x, const Term& y, const Term& z, const Term& r,
                               const Term* unit) {
  Builder* b = x.b;
  std::optional<Term> NONE;
  auto num = [&](double value) { return b->number(s, value); };
  Term zero = num(0), one = unit ? *unit : num(1);
  [[maybe_unused]] Term half = num(0.5);
  (void)z;
  (void)r;
#define OP1(name, domain, flags, value, dx) \
  if (op == ScalarOp::name && in_domain(Domain::domain, s)) return dx;
#define OP2(name, domain, flags, value, dx, dy) \
  if (op == ScalarOp::name && in_domain(Domain::domain, s)) { if (wrt == 0) return dx; return dy; }
#define OP3(name, domain, flags, value, dx, dy, dz) \
  if (op == ScalarOp::name && in_domain(Domain::domain, s)) { if (wrt == 0) return dx; if (wrt == 1) return dy; return dz; }
#include "compiler/ir/scalar_ops.def"
#undef OP1
#undef OP2
#undef OP3
  return NONE;
}
}  // namespace columns

}  // namespace

std::optional<Term> partial(ScalarOp op, int wrt, const Term& x, const Term& y, const Term& z, const Term& r,
                            const Term* one) {
  Scalar s = working_type(op, x.scalar(), y.scalar());
  if (s == Scalar::Bool) return {};
  if (operand_type(op, s, wrt) != s || result_type(op, s) != s) return {};   // a condition, a count, bits
  return columns::derivative(op, s, wrt, x, y, z, r, one);
}

}  // namespace raido::ir
