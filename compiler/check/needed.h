// needed.h - how much of the prelude a program needs.
//
// Only names lead from a program into the prelude. A name that no file mentions, nor anything that is needed itself, cannot be looked
// up. So it need not be checked. The result is the same, except for messages, which suggest names that nobody mentioned.
#pragma once
#include "compiler/syntax/ast.h"

namespace raido::check {

// Removes from the files of the prelude each declaration, and each one inside its modules and module types, that is not needed.
void drop_unneeded(ast::Program& program);

}  // namespace raido::check
