// types.h - the type of everything: what an operation returns, rows, lifted types, views of scremas.
#pragma once
#include "compiler/ir/ir.h"

namespace raido::ir {

using Types = std::vector<Type>;

// Result types of an operation. A size that is born inside is `result_number(k)`.
Types types_of(const Program& p, const Exp& e);
// The same with the sizes born inside replaced by the binders of the statement.
Types types_of(const Program& p, const Stm& s);

bool same_type(const Type& a, const Type& b);                 // equal text; places included
bool same_atoms(const std::vector<Atom>& a, const std::vector<Atom>& b);
inline Type scalar_type(Scalar s) { return ScalarType{s}; }
inline Type array_type(Scalar elem, std::vector<Dim> shape) {
  if (shape.empty()) return ScalarType{elem};
  return ArrayType{elem, std::move(shape), {}};
}
Type row_type(const Type& t);                                 // an array without its outer dimension; others unchanged
Type lifted(const Dim& n, const Type& t);                     // n of them; accumulators and proofs stay as they are
Type lifted(const std::vector<Dim>& dims, Type t);
std::vector<Dim> shape_of(const Type& t);                     // empty for what is no array
bool has_dims(std::vector<Dim> shape, const std::vector<Dim>& some);   // whether these are among its dimensions, in any order
Scalar elem_of(const Type& t);                                // of a scalar or an array
inline Scalar elem_of(const Program& p, const Atom& a) { return elem_of(p.type(a)); }
inline bool is_array(const Type& t) { return std::holds_alternative<ArrayType>(t); }
inline bool is_scalar(const Type& t) { return std::holds_alternative<ScalarType>(t); }
inline bool is_acc(const Type& t) { return std::holds_alternative<AccType>(t); }
inline bool is_check(const Type& t) { return std::holds_alternative<CheckType>(t); }
inline bool is_float_type(const Type& t) { return (is_array(t) || is_scalar(t)) && is_float(elem_of(t)); }
Type dest_type(const Program& p, const Dest& d, Var token);   // the accumulator type of a Dest
// The shape of what `at` selects from an array of this shape.
std::vector<Dim> selected_shape(const std::vector<Dim>& shape, const std::vector<Selector>& at);

// ---- Views of a screma ----
size_t width_of(const std::vector<Combine>& ops);             // number of operands in total
inline bool identity_post(const Screma& s) { return s.post.params.empty() && s.post.body.result.empty(); }
bool is_map(const Screma& s);                                 // no reduces, scans, post_reduces
bool is_reduce(const Screma& s);                              // one or more reduces of the inputs as they are
bool is_redomap(const Screma& s);                             // reduces, with a map in pre, perhaps mapped values
bool is_scan(const Screma& s);                                // scans of the inputs as they are, nothing else
bool is_identity(const Lambda& l);                            // results are the parameters, in order
// The operator if it is one scalar operation on its two operands in order (`\a b -> a op b`), or in either order if commutative.
std::optional<ScalarOp> scalar_operator(const Program& p, const Combine& c);
std::optional<ScalarOp> scalar_operator(const Program& p, const Lambda& op);
// Whether it combines scalars, and makes no array on the way.
bool combines_scalars(const Program& p, const Combine& c);

}  // namespace raido::ir
