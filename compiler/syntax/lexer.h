// lexer.h - text to tokens. Layout has no meaning except before `[`: directly after a name, `)` or `]` it indexes.
#pragma once
#include <vector>

#include "compiler/source/diagnostics.h"
#include "compiler/syntax/ast.h"

namespace raido::ast {

enum class Tok : uint8_t {
#define TOKEN(name, text) name,
#define KEYWORD(name, text) name,
#include "compiler/syntax/tokens.def"
#undef TOKEN
#undef KEYWORD
};

// How messages call a kind of token.
std::string_view token_text(Tok kind);

struct Token {
  Tok kind;
  Span span;
  Name name;               // Name, Constructor (without #), Operator
  uint32_t literal = 0;    // Int, Float, String: index into Tokens::literals
};

struct Tokens {
  std::vector<Token> items;          // ends with Eof
  std::vector<Literal> literals;
  std::vector<Comment> comments;
};

Tokens lex(Program& program, const Sources& sources, FileId file, Diagnostics& diags);

}  // namespace raido::ast
