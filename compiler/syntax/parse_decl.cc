// Declarations; and the parser's handling of the token stream.
#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "compiler/source/habits.h"
#include "compiler/syntax/parse.h"

namespace raido::ast {

namespace {
bool starts_decl(Tok k) {
  switch (k) {
    case Tok::Def: case Tok::Let: case Tok::Entry: case Tok::Type: case Tok::Module: case Tok::Open: case Tok::Import:
    case Tok::Local: case Tok::HashBracket: case Tok::Doc: return true;
    default: return false;
  }
}
}  // namespace

File* parse(Program& program, const Sources& sources, FileId file, Diagnostics& diags) {
  return Parser(program, sources, file, diags).file();
}

File* parse_expression(Program& program, const Sources& sources, FileId file, Diagnostics& diags, std::string_view name) {
  return Parser(program, sources, file, diags).expression(name);
}

void Parser::too_deep() { fail(peek().span, err::too_deep); }
Token Parser::expected(Tok k, std::string_view where) {
  unexpected(fmt::format("{} {}", token_text(k), where));
  return eof_;
}
Span Parser::since(Span first) const {
  size_t last = pos_ > 0 ? pos_ - 1 : 0;
  return join(first, tokens_.items[last].span);
}
Name Parser::numeral(size_t i) { return program_.names.intern(std::to_string(i)); }

namespace {
// What is often meant by a token that other languages have in this place; `last` and `next` stand before and after it.
std::string often_meant(Tok found, std::string_view text, std::string_view last, Tok next, std::string_view expected) {
  bool after_condition = expected.starts_with("`then`") || expected.starts_with("`do`") || expected.starts_with("`)`");
  bool declares = expected.starts_with("a declaration");
  if (text == "|" && declares) return "the cases of a type begin with `#`: `type t = #a i32 | #b`";
  if (found == Tok::Name && expected == "`=` before the definition of the type") return fmt::format("a type parameter is written `'{0}`, a size `[{0}]`", text);
  if (found == Tok::Name && expected == "`:` and the type of the field") return "the type of a field follows a colon: `{a: i32, b: f32}`";
  if (found == Tok::LBrace && expected == "`=` before the module") return "write `=` before the declarations: `module m = { .. }`";
  if (found == Tok::Name && expected == "`=` before the module") return "a parameter has a module type: `module m (p: s) = ..`";
  if (found == Tok::RParen && expected.ends_with("the parameter's module type")) return "a parameter has a module type: `module m (p: s) = ..`";
  if (expected.starts_with("a module:")) return "the declarations of a module stand in braces: `module m = { .. }`";
  if (expected.starts_with("a specification") && (found == Tok::Name || found == Tok::Def || found == Tok::Let)) return "a value is specified by its type: `val x : i32`";
  if (found == Tok::Name && declares) return habit(text).empty() || habit(text).starts_with("a function") ? "names are defined by `def`: `def f x = ..`" : std::string(habit(text));
  if ((found == Tok::RParen || found == Tok::RBracket || found == Tok::RBrace) && declares) return "no bracket is open here";
  if (found == Tok::Equals && declares) return "in a body, a value gets its name by `let x = ..`, an element by `let xs[i] = ..`";
  if (found == Tok::Equals && expected == "`)` after the pattern") return "a value stands behind the whole pattern: `loop (x, y) = (0, 1) for ..`";
  if (expected == "`in` and the array") return "a loop counts by `for i < n`, from 0; it takes other numbers by `for i in 1...n`";
  if (found == Tok::Comma && expected.starts_with("`for` or `while`")) return "several values are a tuple: `loop (x, y) = (0, 1) for ..`";
  if (found == Tok::In && expected.starts_with("an expression")) return "a `let` has one `in`; of several in a row only the last needs it";
  if (found == Tok::Quote && expected.starts_with("a type")) return "a type parameter is declared with `'` and used without: `def f 't (x: t) = ..`";
  if (found == Tok::Dot && (next == Tok::LBracket || next == Tok::IndexBracket)) return "an index stands directly after the array: `xs[0]`";
  if (found == Tok::Equals && after_condition) return "`==` compares two values; `=` gives a value a name";
  if (found == Tok::Arrow && expected.starts_with("`)`")) return "a function begins with a backslash: `(\\x -> ...)`";
  bool names = expected.starts_with("a name") || expected == "an index or a field to update";
  names = names || last == "def" || last == "let" || last == "entry" || last == ".";
  bool binds = expected == "a pattern" || expected == "a parameter" || expected == "the name of a field";
  bool alone = next == Tok::Equals || next == Tok::Colon || next == Tok::Comma || next == Tok::RParen || next == Tok::Arrow;
  if (found >= Tok::True && (names || (binds && alone))) return fmt::format("`{}` is a word of the language and names nothing else", text);
  if (found == Tok::For || found == Tok::While) return "a loop is an expression that makes new values of its state: `loop sum = 0 for i < n do sum + i`";
  if (found == Tok::Else && expected.starts_with("`then`")) return "a choice is written `if c then a else b`";
  if (expected.starts_with("`else`")) return "`if` has a value, so it needs both branches";
  if (text == "//" || text == "/*") return "a comment begins with `--` and ends with its line";
  if (found == Tok::Quote && expected.starts_with("an expression")) return "a character is one, as `'a'`; several are a text, `\"ab\"`";
  if (found == Tok::Comma && expected.starts_with("`->`")) return "parameters stand side by side, `\\x y -> ..`; a pair is one, `\\(x, y) -> ..`";
  if (text == "=>" && expected.starts_with("`->`")) return "the arrow is `->`";
  if (found == Tok::Case && expected.starts_with("an expression")) return "a choice by patterns is `match x case p -> a case q -> b`";
  if (text == "|" && expected.starts_with("an index or a field")) return "each pattern has its `case`: `match x case p -> a case q -> b`";
  if (found == Tok::Name && expected == "`)` after the pattern") return "a parameter with a type is `(x: t)`, one without is `x`";
  if (found == Tok::Name && expected.starts_with("a string with")) return fmt::format("the path is a text: `import \"{}\"`", text);
  if (text == ">" && expected.ends_with("body of the definition")) return "type parameters come before the others: `def f 't (x: t) = ..`";
  if (text.size() == 2 && text[1] == '=' && expected.starts_with("a parameter or")) return "names do not change: `let x = x + 1` makes a new `x`";
  if ((found == Tok::Colon || text == "<-") && expected == "`=` and the new value") return "an element gets its value by `=`: `let xs[i] = v`";
  if (last == "]" && expected.starts_with("a type")) return "an array of `t` is written `[]t`, or `[n]t` if its size has a name";
  if ((found == Tok::LBracket && expected == "a pattern") || (found == Tok::Comma && expected == "`]` after the size parameter"))
    return "no pattern takes an array apart: give it a name, and use `xs[0]` and `length xs`";
  if (expected == "`->` before the body of the case") {
    if (text == "|") return "a case has one pattern; another `case` may have the same body";
    if (found == Tok::Name && !last.empty() && std::isalpha(static_cast<unsigned char>(last[0]))) return fmt::format("a constructor begins with `#`: `#{}`", last);
    if (found == Tok::If) return "a case has no condition; its body may be a choice: `if c then a else b`";
    if (text.starts_with("..")) return "a pattern is no range: give the number a name, and compare it in the body";
  }
  if (found == Tok::RParen && last == "!") return "`!` as a function is `not`, of numbers `i32.not` and the like";
  bool kinds = found == Tok::LBracket || found == Tok::IndexBracket || found == Tok::Quote || found == Tok::QuoteHat || found == Tok::QuoteTilde;
  if (kinds && expected.ends_with("body of the definition")) return "sizes and types come before the first parameter: `def f [n] 't (x: [n]t) = ..`";
  if (found == Tok::Arrow && expected.ends_with("body of the definition")) return "the type of the result follows a colon: `def f (x: t): u = ..`";
  if (found == Tok::Val || (found == Tok::Name && habit(text).starts_with("a function"))) return "names are defined by `def`: `def f x = ..`";
  return "";
}
}  // namespace

// A word of another language is read as a name, so that what follows it is found to be wrong.
std::string_view Parser::habit_before() const {
  constexpr size_t reach = 6;
  for (size_t i = pos_, first = pos_ > reach ? pos_ - reach : 0; i-- > first;) {
    const Token& t = tokens_.items[i];
    // What a colon or `=` follows is a name of the program's own: `{int: i32, float: f32}`.
    Tok next = i + 1 < tokens_.items.size() ? tokens_.items[i + 1].kind : Tok::Comma;
    bool foreign = t.kind == Tok::Question || t.kind == Tok::Operator || (t.kind == Tok::Name && next != Tok::Colon && next != Tok::Equals);
    std::string_view help = foreign ? habit(sources_.text(t.span)) : std::string_view();
    // `and` and `or` are functions of this language, too: they are meant as operators where a value stands before them.
    Tok before = i > 0 ? tokens_.items[i - 1].kind : Tok::Comma;
    bool infix = before == Tok::Name || before == Tok::RParen || before == Tok::RBracket || before == Tok::Int || before == Tok::Float;
    bool function = t.kind == Tok::Name && (sources_.text(t.span) == "and" || sources_.text(t.span) == "or") && !infix;
    if (!help.empty() && !function) return help;
  }
  return peek().kind == Tok::Question ? habit("?") : std::string_view();
}

void Parser::unexpected(std::string_view expected, std::string help, std::vector<Label> labels) {
  if (failed_) return;
  const Token& t = peek();
  if (t.kind == Tok::Doc) return fail(t.span, err::misplaced_doc);
  if (help.empty()) help = habit_before();
  if (labels.empty()) labels = opened(expected);
  if (help.empty()) help = often_meant(t.kind, sources_.text(t.span), pos_ > 0 ? sources_.text(tokens_.items[pos_ - 1].span) : "", kind(1), expected);
  if (t.kind == Tok::Eof) return fail_with(help, labels, t.span, err::unexpected_eof, expected);
  if (t.kind == Tok::IndexBracket && pos_ > 0 && tokens_.items[pos_ - 1].kind >= Tok::True)
    return fail(t.span, err::glued_bracket, sources_.text(tokens_.items[pos_ - 1].span));
  fail_with(help, labels, t.span, err::unexpected_token, sources_.text(t.span), expected);
}

// The bracket that an expected one would close.
std::vector<Label> Parser::opened(std::string_view expected) const {
  if (!expected.starts_with("`)`") && !expected.starts_with("`]`") && !expected.starts_with("`}`")) return {};
  for (size_t i = pos_, closed = 0; i-- > 0;) {
    const Token& t = tokens_.items[i];
    if (t.kind == Tok::RParen || t.kind == Tok::RBracket || t.kind == Tok::RBrace) closed++;
    bool opens = t.kind == Tok::LParen || t.kind == Tok::LBracket || t.kind == Tok::IndexBracket || t.kind == Tok::HashBracket || t.kind == Tok::LBrace;
    if (opens && closed-- == 0) return {{t.span, "opened here"}};
  }
  return {};
}

// The value of the last let goes on to here. If a line in between begins no further right than the let, its body was meant to begin there.
void Parser::missing_in(const Token& let) {
  auto column = [&](const Token& t) { return sources_.position(file_, t.span.begin).column; };
  auto line = [&](const Token& t) { return sources_.position(file_, t.span.begin).line; };
  std::string help;
  for (size_t i = pos_; i-- > 1 && tokens_.items[i].span.begin > let.span.begin;)
    if (const Token& t = tokens_.items[i]; line(t) > line(tokens_.items[i - 1]) && column(t) <= column(let))
      help = fmt::format("write `in` before line {}, where the body seems to begin", line(t));
  std::vector<Label> labels{{let.span, "this `let`"}};
  if (is(Tok::Def) || is(Tok::Type) || is(Tok::Module)) fail_with(help, labels, peek().span, err::missing_in, sources_.text(peek().span));
  else unexpected("`in` or another `let`", help, labels);
}

File* Parser::new_file() {
  eof_.span = tokens_.items.back().span;
  File* f = program_.arena.make<File>();
  f->id = file_;
  f->path = program_.arena.copy_text(sources_[file_].name);
  f->comments = copy(tokens_.comments);
  return f;
}

File* Parser::expression(std::string_view name) {
  File* f = new_file();
  Token first = peek();
  Def* def = program_.arena.make<Def>();
  def->self = program_.bind(program_.names.intern(name), first.span, Binding::Kind::Value);
  def->self->def = def;
  def->self->top_level = true;
  def->name_span = first.span;
  def->body = exp();
  if (!is(Tok::Eof)) unexpected("the end of the expression");
  def->span = since(first);
  Decl d{};
  d.span = def->span;
  d.node = def;
  f->decls = copy(std::vector<Decl>{d});
  return f;
}

File* Parser::file() {
  File* f = new_file();
  if (is(Tok::Doc) && (kind(1) == Tok::Doc || kind(1) == Tok::Eof)) f->doc = doc_text(take().span);
  f->decls = copy(decls(Tok::Eof));
  auto before = [](const Mention& a, const Mention& b) { return a.at < b.at; };
  if (!std::is_sorted(mentions_.begin(), mentions_.end(), before)) std::sort(mentions_.begin(), mentions_.end(), before);
  f->mentions = copy(mentions_);
  return f;
}

// Up to `end`, which is left. At the top level goes on after errors.
std::vector<Decl> Parser::decls(Tok end) {
  std::vector<Decl> out;
  bool top = end == Tok::Eof;
  for (;;) {
    if (is(end) || is(Tok::Eof)) break;
    size_t start = pos_;
    Decl d = decl(!top);
    if (!failed_) out.push_back(d);
    else if (!top) break;
    else resynchronise(start);
  }
  return out;
}

// To the next declaration keyword that is the first token of its line, after the start of the broken declaration.
void Parser::resynchronise(size_t start) {
  failed_ = false;
  depth_ = 0, height_ = 0;
  if (pos_ == start && kind() != Tok::Eof) pos_++;
  for (; tokens_.items[pos_].kind != Tok::Eof; pos_++) {
    const Token& t = tokens_.items[pos_];
    bool starts = starts_decl(t.kind) && (t.kind != Tok::Doc || starts_decl(tokens_.items[pos_ + 1].kind));
    if (starts && (t.span.begin == 0 || sources_[file_].text[t.span.begin - 1] == '\n')) return;
  }
}

std::string_view Parser::doc_text(Span span) const {
  std::string out;
  std::string_view text = sources_.text(span);
  for (size_t i = 0; i < text.size();) {
    size_t end = std::min(text.find('\n', i), text.size());
    std::string_view line = text.substr(i, end - i);
    size_t dashes = line.find("--");
    line.remove_prefix(dashes + 2);
    if (line.substr(0, 2) == " |" && out.empty()) line.remove_prefix(2);
    if (line.substr(0, 1) == " ") line.remove_prefix(1);
    out += line;
    out += '\n';
    i = end + 1;
  }
  return program_.arena.copy_text(out);
}

std::span<Attr> Parser::attrs() {
  List<Attr> out(*this);
  while (is(Tok::HashBracket)) {
    take();
    out.push_back(attr());
    end_attribute();
  }
  return copy(out);
}

void Parser::end_attribute() {
  if (is(Tok::RBracket)) take();
  else if (is(Tok::Eof)) unexpected("`]` after the attribute");
  else fail(peek().span, err::bad_attribute, sources_.text(peek().span));
}

Attr Parser::attr() {
  Depth guard(*this);
  Attr a{};
  Token first = peek();
  if (is(Tok::Int)) {
    Token t = take();
    a.name = program_.names.intern(sources_.text(t.span));
    a.is_integer = true;
    a.integer = tokens_.literals[t.literal].integer;
  }
  else if (is(Tok::Name) || kind() >= Tok::True) {
    Token t = take();
    a.name = program_.names.intern(sources_.text(t.span));
    if (accept(Tok::LParen)) {
      List<Attr> args(*this);
      while (!is(Tok::RParen) && !is(Tok::Eof)) {
        args.push_back(attr());
        if (!accept(Tok::Comma)) break;
      }
      expect(Tok::RParen, "after the arguments of the attribute");
      a.args = copy(args);
    }
  }
  else unexpected("an attribute: a name, an integer or name(..)");
  a.span = since(first);
  return a;
}

Decl Parser::decl(bool nested) {
  Depth guard(*this);
  Decl d{};
  Token first = peek();
  if (is(Tok::Doc)) d.doc = doc_text(take().span);
  if (is(Tok::Doc)) fail(peek().span, err::misplaced_doc);
  d.attrs = attrs();
  Token start = peek();
  switch (kind()) {
    case Tok::Def: case Tok::Let:
      take();
      if (start.kind == Tok::Let) diags_.report(start.span, err::top_level_let).help("write `def`");
      d.node = value_decl(start, false, d.attrs);
      break;
    case Tok::Entry: {
      take();
      Def* def = value_decl(start, true, d.attrs);
      if (nested && def) diags_.report(def->name_span, err::nested_entry);
      d.node = def;
      break;
    }
    case Tok::Type: d.node = type_decl(); break;
    case Tok::Module: {
      Decl m = module_decl(start);
      d.node = m.node;
      break;
    }
    case Tok::Open: {
      take();
      Open* open = program_.arena.make<Open>();
      open->exp = mod_exp();
      open->span = since(start);
      open->self = program_.bind({}, open->span, Binding::Kind::Open);
      d.node = open;
      break;
    }
    case Tok::Import: {
      Open* open = program_.arena.make<Open>();
      open->exp = mod_atom();
      open->span = since(start);
      open->self = program_.bind({}, open->span, Binding::Kind::Open);
      d.node = open;
      d.local = true;
      break;
    }
    case Tok::Local: {
      take();
      Decl inner = decl(nested);
      inner.local = true;
      if (inner.doc.empty()) inner.doc = d.doc;
      if (!d.attrs.empty()) {
        std::vector<Attr> all(d.attrs.begin(), d.attrs.end());
        all.insert(all.end(), inner.attrs.begin(), inner.attrs.end());
        inner.attrs = copy(all);
        if (auto* def = std::get_if<Def*>(&inner.node)) (*def)->attrs = inner.attrs;
      }
      inner.span = since(first);
      return inner;
    }
    default: unexpected("a declaration: def, entry, type, module, open, import or local");
  }
  d.span = since(first);
  return d;
}

bool Parser::at_infix_op(size_t ahead) const { return kind(ahead) == Tok::Operator || kind(ahead) == Tok::Backtick; }

Token Parser::infix_op() {
  if (is(Tok::QualOperator)) fail(peek().span, err::qualified_binding, text(peek()));
  if (accept(Tok::Backtick)) {
    Token name = expect(Tok::Name, "between the backticks");
    if (is(Tok::Dot)) fail(name.span, err::qualified_binding, text(name));
    expect(Tok::Backtick, "after the name");
    return name;
  }
  if (is_op("!")) fail(peek().span, err::bang_infix);
  return expect(Tok::Operator, "to be defined");
}

Binding* Parser::bound_name(Binding::Kind binding_kind) {
  Token t;
  if (is(Tok::LParen) && (kind(1) == Tok::Operator || kind(1) == Tok::QualOperator || kind(1) == Tok::Backtick)) {
    Token open = take();
    t = infix_op();
    expect(Tok::RParen, "after the operator");
    t.span = since(open);
  }
  else t = expect(Tok::Name, "to be bound");
  return program_.bind(t.name, t.span, binding_kind);
}

// After def, let or entry.
Def* Parser::value_decl(const Token& first, bool entry, std::span<Attr> attributes) {
  Def* def = program_.arena.make<Def>();
  def->attrs = attributes, def->entry = entry;
  List<Pat*> params(*this);
  bool prefix = (is(Tok::Name) && !at_infix_op(1)) || (is(Tok::LParen) && at_infix_op(1) && kind(2) == Tok::RParen) ||
                (is(Tok::LParen) && kind(1) == Tok::Backtick && kind(4) == Tok::RParen) ||
                (is(Tok::LParen) && kind(1) == Tok::QualOperator);
  if (prefix) {
    def->self = bound_name(Binding::Kind::Value);
    if (is(Tok::Dot)) fail(def->self->span, err::qualified_binding, name_text(def->self->name));
    def->tparams = type_params();
    while (at_param()) params.push_back(param());
    if (is(Tok::QualOperator)) fail(peek().span, err::qualified_binding, text(peek()));
  }
  else {
    Token start = peek();
    Pat* left = param();
    if (!failed_ && (is(Tok::Equals) || is(Tok::Colon)) && !entry) fail(since(start), err::top_level_pattern);
    Token op = infix_op();
    def->self = program_.bind(op.name, op.span, Binding::Kind::Value);
    params.push_back(left);
    params.push_back(param());
  }
  def->name_span = def->self->span;
  def->self->def = def;
  def->self->top_level = true;
  def->params = copy(params);
  if (accept(Tok::Colon)) def->result = type();
  expect(Tok::Equals, "before the body of the definition");
  def->body = exp();
  def->span = since(first);
  return def;
}

bool Parser::at_type_param() const {
  return is(Tok::LBracket) || is(Tok::IndexBracket) || is(Tok::Quote) || is(Tok::QuoteHat) || is(Tok::QuoteTilde);
}

TypeParam Parser::type_param() {
  TypeParam p{};
  Token first = take();
  switch (first.kind) {
    case Tok::Quote: p.kind = TypeParam::Kind::Type; break;
    case Tok::QuoteHat: p.kind = TypeParam::Kind::Lifted; break;
    case Tok::QuoteTilde: p.kind = TypeParam::Kind::SizeLifted; break;
    default: p.kind = TypeParam::Kind::Size;
  }
  Token name = expect(Tok::Name, "of the parameter");
  p.name = name.name, p.span = name.span;
  if (p.kind == TypeParam::Kind::Size) {
    expect(Tok::RBracket, "after the size parameter");
    p.size = program_.bind(p.name, p.span, Binding::Kind::Size);
  }
  return p;
}

std::span<TypeParam> Parser::type_params() {
  List<TypeParam> out(*this);
  while (at_type_param()) out.push_back(type_param());
  return copy(out);
}

TypeParam::Kind Parser::lifted_marker() {
  if (is_op("^")) { take(); return TypeParam::Kind::Lifted; }
  if (accept(Tok::Tilde)) return TypeParam::Kind::SizeLifted;
  return TypeParam::Kind::Type;
}

TypeDef* Parser::type_decl() {
  TypeDef* t = program_.arena.make<TypeDef>();
  Token first = take();
  t->lifted = lifted_marker();
  Token name = expect(Tok::Name, "of the type");
  t->name = name.name, t->name_span = name.span;
  t->params = type_params();
  expect(Tok::Equals, "before the definition of the type");
  t->body = type();
  t->span = since(first);
  return t;
}

}  // namespace raido::ast
