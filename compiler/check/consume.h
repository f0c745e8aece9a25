// consume.h - uniqueness: who may still look at an array when it is updated in place.
#pragma once
#include "compiler/check/context.h"

namespace raido::check {

// Checks a definition of this type. Returns the type with the uniqueness of an unannotated result filled in.
TypeRef check_consumption(Context& c, ast::Def& def, TypeRef type);

}  // namespace raido::check
