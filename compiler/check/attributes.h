// attributes.h - the names of attributes, so that a misspelt one is not ignored in silence.
#pragma once
#include "compiler/check/context.h"

namespace raido::check {

// A warning for an attribute that nobody knows.
void look_at(Context& c, const ast::Attr& attr);

}  // namespace raido::check
