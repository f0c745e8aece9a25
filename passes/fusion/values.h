// values.h - which values cost more to compute again than to keep, for `cse_maps`, `cse_branches` and `cse_loops`.
#pragma once
#include <functional>
#include <map>

#include "compiler/ir/transform.h"

namespace raido {

// Several statements inside: a screma, a branch or a loop.
bool is_compound(const ir::Exp& e);
// Nothing but a value: it updates no accumulator and consumes at most what it was given as the first state of a loop.
bool is_value(const ir::Program& p, const ir::Stm& s);
// Whether s runs something several times for each element of its result v.
bool runs_often(const ir::Program& p, const ir::Stm& s, ir::Var v);
// Whether it takes more to compute v, a result of s, than to keep it. This is so if s calls a mathematical function, or runs
// something several times for each element of v.
bool worth_keeping(const ir::Program& p, const ir::Stm& s, ir::Var v);
// A screma whose results are those of the function for its elements, and what is combined of them.
bool is_map(const ir::Stm& s);
// Such statements of a body. Those in scopes of accumulators are seen there only: they count if `scopes`.
std::vector<ir::Stm*> maps_in(ir::Body& b, bool scopes);
// Two maps over the same width: the second one may compute again what the first one does. A list has such maps around maps, the outermost
// first.
struct MapPair { ir::Stm *first, *second; };
using MapPairs = std::vector<MapPair>;
std::vector<ir::Dim> widths_of(const MapPairs& nest);
// Makes v, a value in the innermost of the first maps, a result of them all, and returns that. One that is there already will do, unless
// it may be consumed.
ir::Var lift(ir::Program& p, const MapPairs& nest, ir::Var v, const std::function<bool(ir::Var)>& consumed);
// Hands the elements of an array into the second maps. Returns the element in the innermost of them.
ir::Var lower(ir::Program& p, const MapPairs& nest, ir::Var array, const std::string& hint);
// The values that the statements of a body compute, as they were when it was made.
class Twins {
 public:
  Twins() = default;
  Twins(const ir::Program& p, const ir::Body& b);
  // The statement that computes the same value as s, if variables of s stand for those of the body as `same` says.
  const ir::Stm* of(ir::Program& p, const ir::Stm& s, const ir::Subst& same) const;

 private:
  std::map<std::vector<uint64_t>, const ir::Stm*> by_words_;
};

}  // namespace raido
