// format_decl.cc - the layout of declarations, modules and types.
#include "compiler/syntax/formatter.h"

namespace raido::ast {

// The gaps between them are of kind `between`; around one that takes several lines there are empty lines.
std::vector<Doc> Formatter::decls(Tok end, Gap between, uint32_t column) {
  std::vector<Doc> out;
  bool before_long = false;
  while (!is(end) && !is(Tok::Eof)) {
    size_t at = pos_;
    if (!out.empty()) out.push_back(gap(between));
    Doc d = decl(column);
    bool is_long = long_piece(d, column);
    if (!out.empty() && (is_long || before_long)) force(out.back(), Gap::Separate);
    out.push_back(d);
    before_long = is_long;
    if (pos_ == at) break;
  }
  return out;
}

Doc Formatter::attribute() {  // #[name(args)]
  std::vector<Doc> all;
  all.push_back(tok());
  for (int depth = 0; !is(Tok::Eof);) {
    if (is(Tok::RBracket) && depth == 0) break;
    if (is(Tok::LParen)) depth++;
    if (is(Tok::RParen)) depth--;
    bool comma = is(Tok::Comma);
    all.push_back(tok());
    if (comma) all.push_back(gap(Gap::Space));
  }
  if (is(Tok::RBracket)) all.push_back(tok());
  return concat(std::move(all));
}

Doc Formatter::decl(uint32_t column) {
  std::vector<Doc> all;
  for (;;) {
    if (is(Tok::Doc)) {
      all.push_back(tok());
      all.push_back(gap(Gap::Hard));
    } else if (is(Tok::HashBracket)) {
      all.push_back(attribute());
      all.push_back(gap(Gap::Keep));
    } else if (is(Tok::Local)) {
      all.push_back(tok());
      all.push_back(gap(Gap::Space));
    } else {
      break;
    }
  }
  switch (kind()) {
    case Tok::Def: case Tok::Let: case Tok::Entry: {
      Doc keyword = tok();
      all.push_back(definition(keyword));
      break;
    }
    case Tok::Type: all.push_back(type_decl()); break;
    case Tok::Val: all.push_back(val_spec()); break;
    case Tok::Module: all.push_back(module_decl(column)); break;
    case Tok::Open: case Tok::Include: {
      bool types = is(Tok::Include);
      all.push_back(tok());
      all.push_back(gap(Gap::Space));
      all.push_back(types ? mod_type(column) : mod_exp(column));
      break;
    }
    case Tok::Import:
      all.push_back(tok());
      all.push_back(gap(Gap::Space));
      all.push_back(tok());
      break;
    default: break;
  }
  return concat(std::move(all));
}

// One name, pattern or type parameter of a definition.
Doc Formatter::param_item() {
  switch (kind()) {
    case Tok::LBracket: case Tok::IndexBracket: {
      std::vector<Doc> all{tok()};
      if (!is(Tok::RBracket)) all.push_back(tok());
      if (is(Tok::RBracket)) all.push_back(tok());
      return concat(std::move(all));
    }
    case Tok::Quote: case Tok::QuoteHat: case Tok::QuoteTilde: {
      Doc quote = tok();
      Doc space = gap(Gap::None);
      return concat({quote, space, tok()});
    }
    case Tok::Backtick: return backticks();
    default: return inner_pattern();
  }
}

Doc Formatter::backticks() {  // `name`, perhaps qualified
  std::vector<Doc> all{tok()};
  while (!is(Tok::Backtick) && !is(Tok::Eof)) all.push_back(gap(Gap::None)), all.push_back(tok());
  all.push_back(gap(Gap::None));
  all.push_back(tok());
  return concat(std::move(all));
}

// The parameters up to one of the tokens that may follow them.
std::vector<Doc> Formatter::params() {
  std::vector<Doc> items;
  while (!is(Tok::Equals) && !is(Tok::Colon) && !is(Tok::Arrow) && !is(Tok::Eof)) {
    if (!items.empty()) items.push_back(gap(Gap::Keep));
    size_t at = pos_;
    items.push_back(param_item());
    if (pos_ == at) items.push_back(tok());
  }
  return items;
}

// `KEYWORD name params: type = body`
Doc Formatter::definition(Doc keyword) {
  std::vector<Doc> all{keyword, gap(Gap::Space), param_item()};
  if (!is(Tok::Equals) && !is(Tok::Colon)) {
    all.push_back(gap(Gap::Space));
    all.push_back(align(params()));                // those that do not fit stand below the first one
  }
  if (is(Tok::Colon)) {
    Doc none = gap(Gap::None), colon = tok(), space = gap(Gap::Keep);
    all.push_back(nest(4, {none, colon, space, type()}));
  }
  all.push_back(value_after_equals());
  return concat(std::move(all));
}

// ` = body`. A body that is a chain of lets, a loop and the like begins on a line of its own, unless all fits on one.
Doc Formatter::value_after_equals() {
  if (!is(Tok::Equals)) return concat({});
  Doc before = gap(Gap::Space), equals = tok();
  return concat({before, equals, continuation()});
}

Doc Formatter::continuation() {
  Doc space = gap(Gap::Keep);
  Doc body = exp();
  if (forced(body) && pieces_[body].block) force(space, Gap::Hard);
  return nest(2, {space, body});
}

Doc Formatter::type_decl() {
  std::vector<Doc> all{tok()};
  if (is_op("^") || is(Tok::Tilde)) {
    all.push_back(gap(Gap::None));
    all.push_back(tok());
  }
  all.push_back(gap(Gap::Space));
  all.push_back(param_item());
  while (!is(Tok::Equals) && at_type_param()) {
    all.push_back(gap(Gap::Space));
    all.push_back(param_item());
  }
  if (is(Tok::Equals)) {
    all.push_back(gap(Gap::Space));
    all.push_back(tok());
    Doc space = gap(Gap::Keep);
    all.push_back(nest(2, {space, type()}));
  }
  return concat(std::move(all));
}

bool Formatter::at_type_param() const {
  return is(Tok::LBracket) || is(Tok::IndexBracket) || is(Tok::Quote) || is(Tok::QuoteHat) || is(Tok::QuoteTilde);
}

Doc Formatter::val_spec() {
  std::vector<Doc> all{tok(), gap(Gap::Space)};
  if (is(Tok::Operator)) all.push_back(tok());
  else all.push_back(param_item());
  while (at_type_param()) {
    all.push_back(gap(Gap::Space));
    all.push_back(param_item());
  }
  all.push_back(gap(Gap::None));
  all.push_back(tok());
  Doc space = gap(Gap::Keep);
  all.push_back(nest(2, {space, type()}));
  return concat(std::move(all));
}

Doc Formatter::module_decl(uint32_t column) {
  std::vector<Doc> all{tok(), gap(Gap::Space)};
  bool of_type = is(Tok::Type);
  if (of_type) {
    all.push_back(tok());
    all.push_back(gap(Gap::Space));
  }
  all.push_back(tok());
  while (is(Tok::LParen)) {
    all.push_back(gap(Gap::Space));
    all.push_back(module_param(column));
  }
  if (is(Tok::Colon)) {
    all.push_back(gap(Gap::None));
    all.push_back(tok());
    all.push_back(module_value(true, column));
  }
  if (is(Tok::Equals)) {
    all.push_back(gap(Gap::Space));
    all.push_back(tok());
    all.push_back(module_value(of_type, column));
  }
  return concat(std::move(all));
}

// On the same line if it begins with a brace, or applies names to one.
Doc Formatter::module_value(bool of_type, uint32_t column) {
  size_t names = 0;
  while (kind(names) == Tok::Name || kind(names) == Tok::Dot) names++;
  bool brace = kind(names) == Tok::LBrace;
  uint32_t deeper = brace ? 0 : 2;
  Doc space = gap(brace ? Gap::Space : Gap::Keep);
  Doc value = of_type ? mod_type(column + deeper) : mod_exp(column + deeper);
  return nest(deeper, {space, value});
}

Doc Formatter::module_param(uint32_t column) {  // (name: module type)
  std::vector<Doc> all{tok(), tok(), gap(Gap::None), tok(), gap(Gap::Space), mod_type(column)};
  if (is(Tok::RParen)) all.push_back(gap(Gap::None)), all.push_back(tok());
  return concat(std::move(all));
}

// Declarations or specifications in braces.
Doc Formatter::braces(uint32_t column) {
  Doc open = tok();
  if (is(Tok::RBrace)) {
    Doc space = gap(Gap::None);
    return concat({open, space, tok()});
  }
  Doc first = gap(Gap::Line);
  std::vector<Doc> body = decls(Tok::RBrace, Gap::LineBlank, column + 2);
  body.insert(body.begin(), first);
  Doc last = gap(Gap::Line);
  pieces_[last].indent = 2;                                  // comments before the brace stand where the declarations do
  Doc nested = nest(2, std::move(body));
  return group({open, nested, last, tok()});
}

Doc Formatter::mod_exp(uint32_t column) {
  std::vector<Doc> all;
  if (is(Tok::Backslash)) {
    all.push_back(tok());
    all.push_back(gap(Gap::Space));
    while (is(Tok::LParen)) all.push_back(module_param(column));
    if (is(Tok::Colon)) {
      all.push_back(gap(Gap::None));
      all.push_back(tok());
      all.push_back(gap(Gap::Space));
      all.push_back(mod_type_atom(column));
    }
    all.push_back(gap(Gap::Space));
    all.push_back(tok());
    all.push_back(module_value(false, column));
    return concat(std::move(all));
  }
  all.push_back(mod_atom(column));
  while (is(Tok::LParen) || is(Tok::Name) || is(Tok::LBrace)) {
    Doc space = gap(is(Tok::LBrace) ? Gap::Space : Gap::Keep);
    all.push_back(nest(2, {space}));
    all.push_back(mod_atom(column));
  }
  while (is(Tok::Colon)) {
    Doc space = gap(Gap::Keep), colon = tok();
    all.push_back(nest(2, {space}));
    all.push_back(colon);
    all.push_back(gap(Gap::Space));
    all.push_back(mod_type(column));
  }
  return concat(std::move(all));
}

Doc Formatter::mod_atom(uint32_t column) {
  if (is(Tok::LBrace)) return braces(column);
  if (is(Tok::LParen)) {
    std::vector<Doc> all{tok(), gap(Gap::None), mod_exp(column)};
    if (is(Tok::RParen)) all.push_back(gap(Gap::None)), all.push_back(tok());
    return concat(std::move(all));
  }
  if (is(Tok::Import)) {
    Doc import = tok();
    Doc space = gap(Gap::Space);
    return concat({import, space, tok()});
  }
  return dotted();
}

Doc Formatter::dotted() {
  std::vector<Doc> all{tok()};
  while (is(Tok::Dot) && kind(1) == Tok::Name) {
    all.push_back(gap(Gap::None));
    all.push_back(tok());
    all.push_back(gap(Gap::None));
    all.push_back(tok());
  }
  return concat(std::move(all));
}

Doc Formatter::mod_type_atom(uint32_t column) {
  if (is(Tok::LBrace)) return braces(column);
  if (is(Tok::Name)) return dotted();
  if (!is(Tok::LParen)) return concat({});
  std::vector<Doc> all{tok(), gap(Gap::None), mod_type(column)};
  if (is(Tok::RParen)) all.push_back(gap(Gap::None)), all.push_back(tok());
  return concat(std::move(all));
}

Doc Formatter::mod_type(uint32_t column) {
  std::vector<Doc> all;
  bool parameter = is(Tok::LParen) && kind(1) == Tok::Name && kind(2) == Tok::Colon;
  all.push_back(parameter ? module_param(column) : mod_type_atom(column));
  while (is(Tok::With)) {
    Doc space = gap(Gap::Keep), with = tok();
    std::vector<Doc> clause{space, with, gap(Gap::Space), dotted()};
    while (at_type_param()) clause.push_back(gap(Gap::Space)), clause.push_back(param_item());
    clause.push_back(gap(Gap::Space));
    if (is(Tok::Equals)) clause.push_back(tok());
    clause.push_back(gap(Gap::Space));
    clause.push_back(type());
    all.push_back(nest(2, std::move(clause)));
  }
  if (is(Tok::Arrow)) {
    Doc space = gap(Gap::Keep), arrow = tok(), after = gap(Gap::Space);
    all.push_back(nest(2, {space}));
    all.push_back(arrow);
    all.push_back(after);
    all.push_back(mod_type(column));
  }
  return concat(std::move(all));
}

Doc Formatter::type() {
  std::vector<Doc> all;
  for (;;) {
    if (is(Tok::Question)) {  // ?[n][m].
      all.push_back(tok());
      while (is(Tok::LBracket) || is(Tok::IndexBracket)) all.push_back(gap(Gap::None)), all.push_back(param_item());
      all.push_back(gap(Gap::None));
      if (is(Tok::Dot)) all.push_back(tok());
      all.push_back(gap(Gap::None));
      continue;
    }
    all.push_back(type_term());
    if (!is(Tok::Arrow)) break;
    all.push_back(gap(Gap::Line, true));
    all.push_back(tok());
    all.push_back(gap(Gap::Space));
  }
  return all.size() == 1 ? all[0] : group({align(std::move(all))});
}

Doc Formatter::type_term() {
  if (is_op("*")) {
    Doc star = tok();
    Doc space = gap(is_op("*") ? Gap::Space : Gap::None);      // `**` would be another token
    return concat({star, space, type_term()});
  }
  if (!is(Tok::Constructor)) return type_app(false);
  std::vector<Doc> all;
  for (;;) {
    all.push_back(tok());
    while (at_type_atom()) all.push_back(gap(Gap::Space)), all.push_back(type_app(true));
    if (!is_op("|")) break;
    all.push_back(gap(Gap::Line));
    all.push_back(tok());
    all.push_back(gap(Gap::Space));
    if (!is(Tok::Constructor)) break;
  }
  return group({align(std::move(all))});
}

bool Formatter::at_type_atom() const {
  return is(Tok::LParen) || is(Tok::LBrace) || is(Tok::LBracket) || is(Tok::IndexBracket) || is(Tok::Name);
}

// Atoms; all of them if the first is a name, else just that one.
Doc Formatter::type_app(bool payload) {
  std::vector<Doc> all;
  if (is(Tok::LBracket) || is(Tok::IndexBracket)) {
    all.push_back(size());
    all.push_back(gap(Gap::None));
    all.push_back(payload ? type_app(true) : type_term());
    return concat(std::move(all));
  }
  bool name = is(Tok::Name);
  all.push_back(type_atom());
  while (name && !payload && at_type_atom()) {
    all.push_back(gap(Gap::Space));
    if (is(Tok::LBracket) || is(Tok::IndexBracket)) all.push_back(size());
    else all.push_back(type_atom());
  }
  return concat(std::move(all));
}

Doc Formatter::size() {
  std::vector<Doc> all{tok()};
  if (!is(Tok::RBracket)) all.push_back(gap(Gap::None)), all.push_back(exp());
  if (is(Tok::RBracket)) all.push_back(gap(Gap::None)), all.push_back(tok());
  return concat(std::move(all));
}

Doc Formatter::type_atom() {
  if (is(Tok::Name)) return dotted();
  if (is(Tok::LParen))
    return list(Tok::RParen, Gap::Keep, [&] {
      if (!(is(Tok::Name) && kind(1) == Tok::Colon)) return type();
      return named_type();
    });
  if (is(Tok::LBrace)) return list(Tok::RBrace, Gap::Line, [&] { return named_type(); });
  return concat({});
}

Doc Formatter::named_type() {  // name: type
  Doc name = tok();
  if (!is(Tok::Colon)) return name;
  Doc none = gap(Gap::None), colon = tok(), space = gap(Gap::Keep);
  Doc t = type();
  return concat({name, none, colon, nest(2, {space, t})});
}

}  // namespace raido::ast
