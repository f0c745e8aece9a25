// format.h - the canonical layout of a source text.
//
// Only the white space between tokens changes: the tokens and the comments stay as they are and in their order.
#pragma once
#include <string>
#include <string_view>

#include "compiler/syntax/lexer.h"

namespace raido::ast {

// The text of a file that has no syntax errors in canonical layout. What stands on one line stays on one line if it fits.
std::string format(const Sources& sources, FileId file, const Tokens& tokens);

// A correct expression on one line, in canonical layout and without its comments.
std::string expression_on_one_line(std::string_view text);

// The first difference between the tokens and comments of two texts, whatever stands between them; empty if there is none.
std::string token_difference(const Sources& sources, const Tokens& a, const Tokens& b);

}  // namespace raido::ast
