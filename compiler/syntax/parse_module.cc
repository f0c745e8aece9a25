// Modules, module types and their specifications.
#include <fmt/format.h>

#include "compiler/syntax/parse.h"

namespace raido::ast {

std::vector<ModParam*> Parser::mod_params() {
  std::vector<ModParam*> out;
  while (is(Tok::LParen)) {
    take();
    ModParam* p = program_.arena.make<ModParam>();
    Token name = expect(Tok::Name, "of the module parameter");
    p->self = program_.bind(name.name, name.span, Binding::Kind::Module);
    expect(Tok::Colon, "and the parameter's module type");
    p->type = mod_type();
    expect(Tok::RParen, "after the module parameter");
    out.push_back(p);
  }
  return out;
}

ModExp* Parser::wrap_params(const std::vector<ModParam*>& params, ModType* mod_type, ModExp* body, Span span) {
  ModExp* e = body;
  if (mod_type) e = program_.arena.make<ModExp>(span, MAscribe{e, mod_type}, std::span<Abstract>{});
  for (size_t i = params.size(); i-- > 0;)
    e = program_.arena.make<ModExp>(span, MLambda{params[i], e}, std::span<Abstract>{});
  return e;
}

Decl Parser::module_decl(const Token& first) {
  Decl d{};
  take();
  if (accept(Tok::Type)) {
    ModTypeDef* m = program_.arena.make<ModTypeDef>();
    Token name = expect(Tok::Name, "of the module type");
    m->name = name.name, m->name_span = name.span;
    expect(Tok::Equals, "before the module type");
    m->type = mod_type();
    m->span = since(first);
    d.node = m;
    return d;
  }
  ModDef* m = program_.arena.make<ModDef>();
  m->self = bound_name(Binding::Kind::Module);
  m->self->top_level = true;
  m->name_span = m->self->span;
  std::vector<ModParam*> params = mod_params();
  ModType* ascribed = accept(Tok::Colon) ? mod_type() : nullptr;
  expect(Tok::Equals, "before the module");
  ModExp* body = mod_exp();
  m->span = since(first);
  m->exp = wrap_params(params, ascribed, body, m->span);
  d.node = m;
  return d;
}

Path Parser::path(Lookup how) {
  Path p{};
  List<Name> names(*this);
  List<Span> spans(*this);
  Token first = expect(Tok::Name, "");
  names.push_back(first.name), spans.push_back(first.span);
  while (is(Tok::Dot) && kind(1) == Tok::Name) {
    take();
    Token t = take();
    names.push_back(t.name), spans.push_back(t.span);
  }
  p.span = since(first);
  p.names = copy(names), p.spans = copy(spans);
  for (size_t i = 0; i < names.size(); i++) {
    bool last = i + 1 == names.size();
    mention(last && how != Lookup::Scope ? how : i == 0 ? Lookup::Scope : Lookup::Member, names[i], spans[i]);
  }
  height_ += uint32_t(names.size() - 1);               // x.a.b may be fields within fields
  return p;
}

ModExp* Parser::mod_exp() {
  Depth guard(*this);
  Token first = peek();
  ModExp* e;
  if (accept(Tok::Backslash)) {
    std::vector<ModParam*> params = mod_params();
    if (params.size() != 1) unexpected("one module parameter in parentheses");
    ModType* type = accept(Tok::Colon) ? mod_type_atom() : nullptr;
    expect(Tok::Arrow, "before the body of the parametric module");
    ModExp* body = mod_exp();
    return wrap_params(params, type, body, since(first));
  }
  e = mod_atom();
  while (is(Tok::LParen) || is(Tok::Name) || is(Tok::LBrace)) {
    ModExp* arg = mod_atom();
    height_++;
    e = program_.arena.make<ModExp>(since(first), MApply{e, arg}, std::span<Abstract>{});
  }
  while (accept(Tok::Colon)) {
    ModType* t = mod_type();
    height_++;
    e = program_.arena.make<ModExp>(since(first), MAscribe{e, t}, std::span<Abstract>{});
  }
  return e;
}

ModExp* Parser::mod_atom() {
  Depth guard(*this);
  Token first = peek();
  auto made = [&](auto node) { return program_.arena.make<ModExp>(since(first), node, std::span<Abstract>{}); };
  if (accept(Tok::LParen)) {
    ModExp* e = mod_exp();
    expect(Tok::RParen, "after the module");
    e->span = since(first);
    return e;
  }
  if (accept(Tok::LBrace)) {
    std::vector<Decl> body = decls(Tok::RBrace);
    expect(Tok::RBrace, "after the declarations of the module");
    return made(MBody{copy(body)});
  }
  if (accept(Tok::Import)) {
    Token t = expect(Tok::String, "with the path of the file");
    std::string_view p = failed_ ? std::string_view() : tokens_.literals[t.literal].text;
    return made(MImport{p, t.span, nullptr});
  }
  if (is(Tok::Name)) {
    Path p = path(Lookup::Scope);
    return made(MName{p});
  }
  unexpected("a module: a name, declarations in braces, or import");
  return made(MBody{});
}

ModType* Parser::mod_type() {
  Depth guard(*this);
  Token first = peek();
  auto made = [&](auto node) { return program_.arena.make<ModType>(since(first), node); };
  ModType* left;
  if (is(Tok::LParen) && kind(1) == Tok::Name && kind(2) == Tok::Colon) {
    take();
    Token name = take();
    take();
    ModType* from = mod_type();
    expect(Tok::RParen, "after the parameter");
    expect(Tok::Arrow, "after the parameter");
    Binding* param = program_.bind(name.name, name.span, Binding::Kind::Module);
    ModType* to = mod_type();
    return made(SArrow{param, from, to});
  }
  left = mod_type_atom();
  while (is(Tok::With)) {
    take();
    Path p = path(Lookup::Type);
    std::span<TypeParam> params = type_params();
    expect(Tok::Equals, "and the type");
    TypeExpr* t = type();
    height_++;
    left = made(SWith{left, p, params, t});
  }
  if (accept(Tok::Arrow)) {
    ModType* to = mod_type();
    return made(SArrow{nullptr, left, to});
  }
  return left;
}

ModType* Parser::mod_type_atom() {
  Depth guard(*this);
  Token first = peek();
  auto made = [&](auto node) { return program_.arena.make<ModType>(since(first), node); };
  if (accept(Tok::LParen)) {
    ModType* t = mod_type();
    expect(Tok::RParen, "after the module type");
    return t;
  }
  if (accept(Tok::LBrace)) {
    std::vector<Spec> specs;
    while (!is(Tok::RBrace) && !is(Tok::Eof)) specs.push_back(spec());
    expect(Tok::RBrace, "after the specifications");
    return made(SSpecs{copy(specs)});
  }
  if (is(Tok::Name)) {
    Path p = path(Lookup::ModType);
    return made(SName{p});
  }
  unexpected("a module type");
  return made(SSpecs{});
}

Spec Parser::spec() {
  Depth guard(*this);
  Spec s{};
  Token first = peek();
  if (is(Tok::Doc)) s.doc = doc_text(take().span);
  attrs();
  if (is(Tok::Doc)) s.doc = doc_text(take().span);
  switch (kind()) {
    case Tok::Val: {
      take();
      SpecVal v{};
      if (is(Tok::Name)) { Token t = take(); v.name = t.name, v.name_span = t.span; }
      else if (accept(Tok::LParen)) {
        Token t = is_op("!") ? take() : infix_op();
        v.name = t.name, v.name_span = t.span;
        expect(Tok::RParen, "after the operator");
      }
      else { Token t = infix_op(); v.name = t.name, v.name_span = t.span; }
      mention(Lookup::Member, v.name, v.name_span);
      v.tparams = type_params();
      expect(Tok::Colon, "and the type of the value");
      v.type = type();
      s.node = v;
      break;
    }
    case Tok::Type: {
      take();
      SpecType t{};
      t.lifted = lifted_marker();
      Token name = expect(Tok::Name, "of the type");
      t.name = name.name, t.name_span = name.span;
      mention(Lookup::Type, t.name, t.name_span);
      t.params = type_params();
      if (accept(Tok::Equals)) t.body = type();
      s.node = t;
      break;
    }
    case Tok::Module: {
      take();
      Token name = expect(Tok::Name, "of the module");
      mention(Lookup::Member, name.name, name.span);
      expect(Tok::Colon, "and the module type");
      s.node = SpecModule{name.name, name.span, mod_type()};
      break;
    }
    case Tok::Include:
      take();
      s.node = SpecInclude{mod_type()};
      break;
    default: unexpected("a specification: val, type, module or include");
  }
  s.span = since(first);
  return s;
}

}  // namespace raido::ast
