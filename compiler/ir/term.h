// term.h - Term: arithmetic that reads as arithmetic and emits statements. Constants fold on the way, and additions of 0
// and multiplications by 1 emit nothing.
#pragma once
#include "compiler/ir/build.h"

namespace raido::ir {

struct Term {
  Builder* b = nullptr;
  Atom atom;
  Scalar scalar() const { return elem_of(b->program, atom); }
};

inline Term Builder::term(Atom a) { return {this, std::move(a)}; }
inline Term Builder::number(Scalar s, double value) { return {this, constant(s, value)}; }

// Emits op unless it folds.
Term apply(ScalarOp op, const std::vector<Term>& args);
Term convert(Scalar to, const Term& x);

inline Term operator+(const Term& x, const Term& y) { return apply(ScalarOp::add, {x, y}); }
inline Term operator-(const Term& x, const Term& y) { return apply(ScalarOp::sub, {x, y}); }
inline Term operator*(const Term& x, const Term& y) { return apply(ScalarOp::mul, {x, y}); }
inline Term operator/(const Term& x, const Term& y) { return apply(ScalarOp::div, {x, y}); }
inline Term operator-(const Term& x) { return apply(ScalarOp::neg, {x}); }
inline Term operator+(const Term& x, i64 y) { return x + Term{x.b, integer_constant(x.scalar(), y)}; }
inline Term operator-(const Term& x, i64 y) { return x - Term{x.b, integer_constant(x.scalar(), y)}; }
inline Term eq(const Term& x, const Term& y) { return apply(ScalarOp::eq, {x, y}); }
inline Term lt(const Term& x, const Term& y) { return apply(ScalarOp::lt, {x, y}); }
inline Term le(const Term& x, const Term& y) { return apply(ScalarOp::le, {x, y}); }
inline Term and_(const Term& x, const Term& y) { return apply(ScalarOp::and_, {x, y}); }
inline Term or_(const Term& x, const Term& y) { return apply(ScalarOp::or_, {x, y}); }
inline Term or_(const std::array<Term, 2>& x) { return apply(ScalarOp::or_, {x[0], x[1]}); }
// {condition, where it holds, elsewhere}. A list is evaluated from left to right, arguments in any order that the C++ compiler
// likes: statements made in a list come out in its order.
inline Term select(const std::array<Term, 3>& x) { return apply(ScalarOp::select, {x[0], x[1], x[2]}); }
// All of xs.
inline Term all_of(std::initializer_list<Term> xs) {
  Term all = *xs.begin();
  for (auto x = xs.begin() + 1; x != xs.end(); x++) all = and_(all, *x);
  return all;
}
inline Term not_(const Term& x) { return apply(ScalarOp::not_, {x}); }

// The derivative of `op` in operand `wrt` at x, y, z with result r (missing operands repeat x): the dx, dy, dz columns
// of scalar_ops.def. None where the derivative is zero everywhere or the operand is not of a differentiable kind. `one`, if
// given, stands where the column says one: what a choice passes on.
std::optional<Term> partial(ScalarOp op, int wrt, const Term& x, const Term& y, const Term& z, const Term& r,
                            const Term* one = nullptr);

}  // namespace raido::ir
