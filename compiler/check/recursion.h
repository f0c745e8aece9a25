// recursion.h - what a recursive function may do with functions.
#pragma once
#include "compiler/check/context.h"

namespace raido::check {

void check_recursion(Context& c, const ast::Def& def, const Scheme& scheme);

}  // namespace raido::check
