// query.h - what a checked program knows about the name at a place.
#pragma once
#include <optional>
#include <string>

#include "compiler/check/load.h"

namespace raido {

struct QueryAnswer {
  std::string name;
  Span position;
  ast::TypeRef type;          // not valid: the name is a module
  Span definition;            // not valid: it is built in
};

// The innermost name of the root file at a line and column, both from 1.
std::optional<QueryAnswer> query(const check::Checked& checked, uint32_t line, uint32_t column);

}  // namespace raido
