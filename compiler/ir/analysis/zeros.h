// zeros.h - which variables are zero, or arrays of zeros, whatever the program is given.
//
// A value is zero if nothing but zeros flows into it (flow.h) and what it is computed by makes zeros of zeros. States of loops are
// taken for zeros until something else flows into them.
#pragma once
#include "compiler/ir/ir.h"

namespace raido::ir {

class Zeros {
 public:
  explicit Zeros(const Program& p);
  bool contains(const Atom& a) const;                    // +0 or -0, false, or an array of these

 private:
  VarSet zero_;

  bool is_computed(const Exp& e) const;                  // whether the operation makes zeros of what it is given
};

}  // namespace raido::ir
