// Patterns. A parameter is a pattern that needs no parentheses where parameters stand side by side.
#include <fmt/format.h>

#include "compiler/syntax/parse.h"

namespace raido::ast {

Pat* Parser::pattern() {
  Depth guard(*this);
  Token first = peek();
  if (accept(Tok::HashBracket)) {
    Attr a = attr();
    end_attribute();
    Pat* inner = pattern();
    return pat(since(first), PAttr{a, inner});
  }
  if (is(Tok::Constructor)) {
    Token c = take();
    List<Pat*> args(*this);
    while (at_param() || is_op("-")) args.push_back(inner_pattern());
    Pat* p = pat(since(first), PConstr{c.name, copy(args)});
    if (!args.empty() || !is(Tok::Colon)) return p;
    take();
    TypeExpr* t = type();
    return pat(since(first), PAscribe{p, t});
  }
  Pat* p = inner_pattern();
  if (!accept(Tok::Colon)) return p;
  TypeExpr* t = type();
  return pat(since(first), PAscribe{p, t});
}

Pat* Parser::inner_pattern() {
  if (is_op("-") && (kind(1) == Tok::Int || kind(1) == Tok::Float)) {
    Token minus = take();
    Literal lit = tokens_.literals[take().literal];
    return pat(since(minus), PLiteral{lit, true});
  }
  return param();
}

bool Parser::at_param() const {
  switch (kind()) {
    case Tok::Name: case Tok::Underscore: case Tok::LParen: case Tok::LBrace: case Tok::Int: case Tok::Float:
    case Tok::True: case Tok::False: case Tok::Constructor: return true;
    default: return false;
  }
}

Pat* Parser::param() {
  Depth guard(*this);
  Token first = peek();
  switch (kind()) {
    case Tok::Name: {
      Token t = take();
      if (is(Tok::Dot) && kind(1) == Tok::Name) {
        bool of_lambda = pos_ > 1 && tokens_.items[pos_ - 2].kind == Tok::Backslash;
        fail_with(of_lambda ? fmt::format("a function is written `\\{} -> ..`", name_text(t.name)) : "", t.span, err::qualified_binding, name_text(t.name));
      }
      return pat(t.span, PVar{program_.bind(t.name, t.span, Binding::Kind::Value)});
    }
    case Tok::Underscore: take(); return pat(first.span, PWild{});
    case Tok::LParen: return paren_pattern();
    case Tok::LBrace: return record_pattern();
    case Tok::Int: case Tok::Float: return pat(first.span, PLiteral{tokens_.literals[take().literal], false});
    case Tok::True: case Tok::False: {
      Literal lit = Literal::of(Literal::Kind::Bool);
      lit.integer = take().kind == Tok::True;
      return pat(first.span, PLiteral{lit, false});
    }
    case Tok::Constructor: return pat(first.span, PConstr{take().name, {}});
    default: unexpected("a pattern");
  }
  return pat(first.span, PWild{});
}

Pat* Parser::paren_pattern() {
  Token first = peek();
  if (at_infix_op(1) && kind(2) != Tok::Int && kind(2) != Tok::Float) {   // (+) names an operator, (-1, x) is a pattern
    Binding* b = bound_name(Binding::Kind::Value);
    return pat(b->span, PVar{b});
  }
  take();
  List<Pat*> parts(*this);
  while (!is(Tok::RParen) && !is(Tok::Eof)) {
    parts.push_back(pattern());
    if (!is(Tok::Comma)) break;
    Token comma = take();
    if (parts.size() == 1 && is(Tok::RParen)) fail(comma.span, err::one_component);
  }
  expect(Tok::RParen, "after the pattern");
  if (parts.size() == 1) {
    parts[0]->span = since(first);
    return parts[0];
  }
  return pat(since(first), PTuple{copy(parts)});
}

// {a = p, b, c: t}
Pat* Parser::record_pattern() {
  Token first = take();
  std::vector<PField> fields;
  while (!is(Tok::RBrace) && !is(Tok::Eof)) {
    Token name = field_name();
    std::string_view shown = name_text(name.name);
    if (shown.starts_with("_")) fail(name.span, err::underscore_field, shown);
    Pat* p;
    if (accept(Tok::Equals)) p = pattern();
    else {
      p = pat(name.span, PVar{program_.bind(name.name, name.span, Binding::Kind::Value)});
      if (accept(Tok::Colon)) {
        TypeExpr* t = type();
        p = pat(since(name), PAscribe{p, t});
      }
    }
    fields.push_back({name.name, name.span, p});
    if (!accept(Tok::Comma)) break;
  }
  expect(Tok::RBrace, "after the fields");
  return pat(since(first), PRecord{copy(fields)});
}

}  // namespace raido::ast
