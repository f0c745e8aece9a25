// explain_sizes.h - sizes and numbers of bytes as a user reads them: expressions over the names of the program.
#pragma once
#include <string>
#include <vector>

#include "compiler/ir/analysis/defs.h"

namespace raido::explain_ad {

class SizeTexts {
 public:
  SizeTexts(const ir::Program& p, const ir::Definitions& made) : p_(p), made_(made) {}

  std::string of(const ir::Atom& size) const;              // "..": too long
  std::string type(ir::Var v) const;                       // [n][2 * k]f64
  std::string bytes(ir::Var v, bool row = false, int arrays = 1) const;    // 8 * n * k; of a row, of several arrays
  // Factors that are numbers in front, as one number; "1" if there is nothing else.
  static std::string product(const std::vector<std::string>& factors);

 private:
  std::string of(const ir::Atom& size, int depth) const;

  const ir::Program& p_;
  const ir::Definitions& made_;
};

}  // namespace raido::explain_ad
