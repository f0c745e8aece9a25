// interleave.h - arrays that one loop fills together and others read together: their elements lie side by side.
#pragma once
#include <unordered_map>

#include "compiler/ir/ir.h"

namespace raido {

struct Interleaved {
  ir::Var first;            // the array that comes first in the block
  int64_t number, of;       // this one's number among those in the block
};

// By the statement `scratch` that makes each.
std::unordered_map<ir::Var, Interleaved> interleaved(const ir::Program& p);

}  // namespace raido
