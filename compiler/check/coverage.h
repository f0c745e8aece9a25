// coverage.h - patterns that leave values unmatched.
#pragma once
#include "compiler/check/context.h"

namespace raido::check {

// Reports inexhaustive matches, and refutable patterns where none may be.
void check_coverage(Context& c, ast::Def& def);

}  // namespace raido::check
