// parser.h - text to tree; the one entry point of the folder.
#pragma once
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/ast.h"

namespace raido::ast {

// Parses a whole file. After a syntax error parsing goes on at the next declaration, so the tree lacks what was broken.
File* parse(Program& program, const Sources& sources, FileId file, Diagnostics& diags);

// Parses an expression; the tree is that of a file which defines `name` as that expression.
File* parse_expression(Program& program, const Sources& sources, FileId file, Diagnostics& diags, std::string_view name);

}  // namespace raido::ast
