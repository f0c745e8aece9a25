// calling.h - the calling convention: how arrays are passed at level memory, and what of the core program has a value at run time.
//
// A passed array stands row by row: its last stride is 1, and the one before it is the last extent. Farther strides are products of sizes,
// which may not be in scope on the other side. So an array is passed as a row of values, in this order:
//
//     its block, its offset, the farther strides from the outermost inwards, the array itself
//
// Parameters of functions have all of it. What only the outside calls has no offset for what it consumes: that begins at offset 0. So do
// results of functions, and what a loop carries from one iteration to the next; of its strides only those are passed whose extents are not
// in scope. The array itself, like an accumulator or the proof of a check, has no value at run time: functions and kernels in C have the
// blocks and the scalars, in the same order.
#pragma once
#include "compiler/ir/ir.h"

namespace raido::ir {

inline bool is_block(const Type& t) { return std::holds_alternative<BlockType>(t); }
inline bool has_value(const Type& t) { return is_block(t) || std::holds_alternative<ScalarType>(t); }

// What of an array is passed besides its block and itself.
struct Passed {
  bool offset;
  std::vector<size_t> strides;         // the dimensions whose strides are
};
inline Passed passed(size_t rank, bool offset) {
  Passed out{offset, {}};
  for (size_t d = 0; d + 2 < rank; d++) out.strides.push_back(d);
  return out;
}
inline Passed passed_to_function(size_t rank) { return passed(rank, true); }
inline Passed passed_from_function(size_t rank) { return passed(rank, false); }

// The block, the offset and the strides of the array that is passed, in order.
template <class F> void each_passed(const Passed& what, const Place& where, F f) {
  f(Atom(where.block));
  if (what.offset) f(where.layout.offset);
  for (size_t d : what.strides) f(where.layout.strides[d]);
}
// The same on the side that gets it: `make` makes the variable for a value of this type. `strides`: those that are not passed.
template <class Make> Place place_of_passed(const Passed& what, std::vector<Atom> strides, Space space, Make make) {
  Place out{make("mem", BlockType{space}), {i64_atom(0), std::move(strides)}};
  if (what.offset) out.layout.offset = make("offset", ScalarType{Scalar::I64});
  for (size_t d : what.strides) out.layout.strides[d] = make("stride", ScalarType{Scalar::I64});
  return out;
}
// The parameters that the outside gives: all but what is passed of arrays besides themselves.
inline std::vector<Var> outside_params(const Program& p, const Function& f) {
  std::vector<Var> out;
  bool placing = false;                // between a block and its array
  for (Bind b : f.lambda.params) {
    const Type& t = p.type(b.var);
    if (is_block(t)) placing = true;
    else if (std::holds_alternative<ArrayType>(t)) placing = false, out.push_back(b.var);
    else if (!placing) out.push_back(b.var);
  }
  return out;
}
// The strides of a passed array that the shape gives; 1 for those that are passed.
inline std::vector<Atom> strides_not_passed(const std::vector<Dim>& shape) {
  std::vector<Atom> out(shape.size(), i64_atom(1));
  if (shape.size() > 1) out[shape.size() - 2] = shape.back();
  return out;
}

}  // namespace raido::ir
