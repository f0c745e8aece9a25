// Types. Arrows bind loosest; after a type name, sizes and atoms are its arguments.
#include <unordered_set>

#include "compiler/syntax/parse.h"

namespace raido::ast {

SizeExpr Parser::size() {
  SizeExpr s{};
  Token open = take();
  if (!is(Tok::RBracket)) s.exp = exp();
  expect(Tok::RBracket, "after the size");
  s.span = since(open);
  return s;
}

TypeExpr* Parser::type() {
  Depth guard(*this);
  Token first = peek();
  if (is(Tok::Question) || is(Tok::Hole)) {
    accept(Tok::Question);
    std::vector<Binding*> sizes;
    while (is(Tok::LBracket) || is(Tok::IndexBracket) || sizes.empty()) {
      if (!accept(Tok::IndexBracket)) expect(Tok::LBracket, "of the sizes");
      Token name = expect(Tok::Name, "of the size");
      expect(Tok::RBracket, "after the size");
      sizes.push_back(program_.bind(name.name, name.span, Binding::Kind::TypeParamName));
    }
    expect(Tok::Dot, "after the sizes");
    TypeExpr* body = type();
    return type_expr(since(first), TExists{copy(sizes), body});
  }
  if (is(Tok::LParen) && kind(1) == Tok::Name && kind(2) == Tok::Colon) {
    take();
    Token name = take();
    take();
    TypeExpr* from = type();
    expect(Tok::RParen, "after the parameter type");
    expect(Tok::Arrow, "after the named parameter");
    TypeExpr* to = type();
    return type_expr(since(first), TArrow{program_.bind(name.name, name.span, Binding::Kind::TypeParamName), from, to});
  }
  TypeExpr* left = type_term();
  if (!accept(Tok::Arrow)) return left;
  TypeExpr* to = type();
  return type_expr(since(first), TArrow{nullptr, left, to});
}

TypeExpr* Parser::type_term() {
  Depth guard(*this);
  Token first = peek();
  if (is_op("*")) {
    take();
    TypeExpr* inner = type_term();
    return type_expr(since(first), TUnique{inner});
  }
  if (!is(Tok::Constructor)) return type_app();
  std::vector<TSum::Clause> clauses;
  do {
    if (is_op("|")) take();
    Token name = expect(Tok::Constructor, "");
    List<TypeExpr*> payload(*this);
    while (at_type_atom()) payload.push_back(type_atom());
    clauses.push_back({name.name, name.span, copy(payload)});
  } while (is_op("|"));
  return type_expr(since(first), TSum{copy(clauses)});
}

bool Parser::at_type_atom() const {
  return is(Tok::LParen) || is(Tok::LBrace) || is(Tok::LBracket) || is(Tok::IndexBracket) || is(Tok::Name);
}

TypeExpr* Parser::type_app() {
  Depth guard(*this);
  Token first = peek();
  TypeExpr* t = type_atom();
  Span atom = since(first);
  if (auto* name = std::get_if<TName>(&t->node); name && first.kind != Tok::LParen) {
    List<TypeArg> args(*this);
    while (at_type_atom()) {
      if (is(Tok::LBracket) || is(Tok::IndexBracket)) args.push_back({size(), nullptr});
      else args.push_back({{}, type_atom()});
    }
    if (!args.empty()) {
      name->args = copy(args);
      t->span = since(first);
    }
  }
  else if (at_type_atom() && !std::get_if<TArray>(&t->node)) fail(atom, err::not_a_type_constructor, sources_.text(atom));
  return t;
}

// A name stands alone here, but the elements of an array are a whole term.
TypeExpr* Parser::type_atom() {
  Depth guard(*this);
  Token first = peek();
  if (is(Tok::LBracket) || is(Tok::IndexBracket)) {
    SizeExpr dim = size();
    TypeExpr* elem = type_term();
    return type_expr(since(first), TArray{dim, elem});
  }
  if (is(Tok::Name)) {
    Path p = path(Lookup::Type);
    return type_expr(p.span, TName{p, {}});
  }
  std::vector<std::pair<Name, TypeExpr*>> fields;
  if (accept(Tok::LParen)) {
    while (!is(Tok::RParen) && !is(Tok::Eof)) {
      fields.emplace_back(numeral(fields.size()), type());
      if (!is(Tok::Comma)) break;
      Token comma = take();
      if (fields.size() == 1 && is(Tok::RParen)) fail(comma.span, err::one_component);
    }
    expect(Tok::RParen, "after the type");
    if (fields.size() == 1) {
      // Parentheses only; but what is inside is no longer open to arguments.
      TypeExpr* inner = fields[0].second;
      return type_expr(since(first), inner->node);
    }
    return type_expr(since(first), TRecord{copy(fields)});
  }
  if (accept(Tok::LBrace)) {
    std::unordered_set<Name> seen;
    while (!is(Tok::RBrace) && !is(Tok::Eof)) {
      Token name = field_name();
      expect(Tok::Colon, "and the type of the field");
      fields.emplace_back(name.name, type());
      if (!seen.insert(name.name).second) diags_.report(name.span, err::duplicate_record_field, name_text(name.name));
      if (!accept(Tok::Comma)) break;
    }
    expect(Tok::RBrace, "after the fields");
    return type_expr(since(first), TRecord{copy(fields)});
  }
  unexpected("a type");
  return type_expr(first.span, TRecord{});
}

}  // namespace raido::ast
