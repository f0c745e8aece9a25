// consume.h - uniqueness: who may still look at an array when it is updated in place.
#pragma once
#include "compiler/check/context.h"

namespace raido::check {

// Checks a definition whose types are known. Returns its scheme with the uniqueness of an unannotated result filled in.
Scheme check_consumption(Context& c, ast::Def& def, const Scheme& scheme);

}  // namespace raido::check
