// Expressions. Binary operators are parsed by precedence climbing over the levels of op_level. What follows `if`, `let`, `\x ->`
// and the like extends as far right as possible. Application is a list of atoms.
#include <fmt/format.h>
#include <unordered_map>

#include "compiler/syntax/parse.h"

namespace raido::ast {

namespace {
// Loosest first; 1 (ascription) is handled in exp().
enum Level { None = 0, RangeLevel = 2, BacktickLevel = 3, WithLevel = 4, FirstOperator = 5, PipeLeft = 6 };
}  // namespace

int operator_level(std::string_view op) {
  auto next_is = [&](char c) { return op.size() > 1 && op[1] == c; };
  switch (op.empty() ? ' ' : op[0]) {
    case '*': return next_is('*') ? 14 : 13;
    case '/': case '%': return 13;
    case '+': case '-': return 12;
    case '<': return next_is('<') ? 11 : next_is('|') ? PipeLeft : 9;
    case '>': return next_is('>') ? 11 : 9;
    case '&': return next_is('&') ? 8 : 10;
    case '^': return 10;
    case '|': return next_is('|') ? 7 : next_is('>') ? 5 : 10;
    default: return 9;
  }
}

Expr* Parser::exp() {
  Depth guard(*this);
  Token first = peek();
  Expr* e = binary(RangeLevel);
  while (is(Tok::Colon) || is(Tok::ColonGreater)) {
    bool coerce = take().kind == Tok::ColonGreater;
    TypeExpr* t = type();
    height_++;
    e = coerce ? expr(since(first), Coerce{e, t}) : expr(since(first), Ascribe{e, t});
  }
  return e;
}

int Parser::op_level(size_t ahead) const {
  const Token& t = peek(ahead);
  if (t.kind == Tok::Backtick) return BacktickLevel;
  if (t.kind == Tok::Operator) return operator_level(name_text(t.name));
  if (t.kind != Tok::QualOperator) return None;
  std::string_view whole = name_text(t.name);
  for (size_t i = 0; i < whole.size(); i++)
    if (whole[i] == '.' && std::string_view("+-*/%=!><|&^").find(whole[i + 1]) != std::string_view::npos)
      return operator_level(whole.substr(i + 1));
  return None;
}

Expr* Parser::op_ref() {
  if (accept(Tok::Backtick)) {
    Path p = path(Lookup::Scope);
    expect(Tok::Backtick, "after the name");
    return expr(p.span, Ref{p, {}, true});
  }
  Token t = take();
  Path p{};
  p.span = t.span;
  List<Name> names(*this);
  List<Span> spans(*this);
  if (t.kind == Tok::QualOperator) {
    std::string_view whole = name_text(t.name);
    for (size_t i = 0;;) {
      size_t dot = whole.find('.', i);
      bool is_operator = std::string_view("+-*/%=!><|&^").find(whole[i]) != std::string_view::npos;
      std::string_view part = is_operator ? whole.substr(i) : whole.substr(i, dot - i);
      Name name = program_.names.intern(part);
      Span at{file_, uint32_t(t.span.begin + i), uint32_t(t.span.begin + i + part.size())};
      names.push_back(name), spans.push_back(at);
      mention(i == 0 ? Lookup::Scope : Lookup::Member, name, at);
      if (is_operator) break;
      i = dot + 1;
    }
  }
  else {
    names.push_back(t.name), spans.push_back(t.span);
    mention(Lookup::Scope, t.name, t.span);
  }
  p.names = copy(names), p.spans = copy(spans);
  return expr(t.span, Ref{p, {}, true});
}

Expr* Parser::operand_of(int min_level) {
  Depth guard(*this);
  return binary(min_level);
}

Expr* Parser::binary(int min_level) {
  Token first = peek();
  Expr* left = operand();
  for (;;) {
    if (min_level <= RangeLevel && (is(Tok::DotDot) || is(Tok::DotDotDot) || is(Tok::DotDotLess) || is(Tok::DotDotGreater))) {
      Expr* second = nullptr;
      Token dots = peek();
      if (accept(Tok::DotDot)) second = operand_of(BacktickLevel);
      Range::Kind k;
      if (accept(Tok::DotDotDot)) k = Range::Kind::Inclusive;
      else if (accept(Tok::DotDotLess)) k = Range::Kind::UpTo;
      else if (accept(Tok::DotDotGreater)) k = Range::Kind::DownTo;
      else { fail(dots.span, err::two_dot_range); return left; }
      Expr* last = operand_of(BacktickLevel);
      height_++;
      left = open_ended(expr(since(first), Range{k, left, second, last}));
      continue;
    }
    if (is(Tok::With)) {
      if (min_level > WithLevel) return left;
      take();
      std::span<Step> path = steps(true);
      expect(Tok::Equals, "and the new value");
      Expr* value = operand_of(FirstOperator);
      height_++;
      left = open_ended(expr(since(first), With{left, path, value}));
      continue;
    }
    int level = op_level();
    if (level == None || level < min_level) return left;
    // `(e op)` is a section, which parenthesised() makes.
    size_t op_tokens = 1;
    if (is(Tok::Backtick)) while (kind(op_tokens) != Tok::Eof && kind(op_tokens++) != Tok::Backtick) {}
    if (kind(op_tokens) == Tok::RParen) return left;
    if (is_op("!")) { fail(peek().span, err::bang_infix); return left; }
    Expr* op = op_ref();
    Expr* right = operand_of(level == PipeLeft ? level : level + 1);
    left = expr(since(first), Operator{op, left, right});
  }
}

Expr* Parser::operand() {
  Depth guard(*this);
  Token first = peek();
  switch (kind()) {
    case Tok::If: return open_ended(if_());
    case Tok::Let: return open_ended(let_chain());
    case Tok::Loop: return open_ended(loop());
    case Tok::Match: return open_ended(match_());
    case Tok::Assert: return open_ended(assert_());
    case Tok::HashBracket: return open_ended(attributed());
    case Tok::Backslash: return open_ended(lambda());
    default: break;
  }
  if (is_op("-") || is_op("!")) {
    Unary::Op op = name_text(take().name) == "-" ? Unary::Op::Negate : Unary::Op::Not;
    Expr* inner = operand();
    return expr(since(first), Unary{op, inner});
  }
  return application();
}

bool Parser::at_atom() const {
  switch (kind()) {
    case Tok::Name: case Tok::Int: case Tok::Float: case Tok::String: case Tok::True: case Tok::False: case Tok::Constructor:
    case Tok::Hole: case Tok::LParen: case Tok::LBracket: case Tok::LBrace: return true;
    default: return false;
  }
}

Expr* Parser::application() {
  Token first = peek();
  bool constructs = is(Tok::Constructor);
  Expr* head = atom();
  List<Expr*> args(*this);
  for (;;) {
    if (is(Tok::Backslash)) {
      args.push_back(open_ended(lambda()));
      break;
    }
    if (!at_atom()) break;
    args.push_back(atom());
  }
  if (args.empty()) return head;
  if (constructs)
    if (auto* c = std::get_if<Construct>(&head->node)) return expr(since(first), Construct{c->name, copy(args)});
  if (std::get_if<Index>(&head->node) && std::get_if<ArrayLit>(&args[0]->node) && sources_.text(head->span).ends_with("]"))
    fail(since(first), err::spaced_index);
  return expr(since(first), Apply{head, copy(args)});
}

Expr* Parser::atom() { return postfix(atom_start()); }

Token Parser::field_name() {
  Token t = peek();
  if (is(Tok::Name)) return take();
  if (is(Tok::Int)) {
    t = take();
    t.name = program_.names.intern(sources_.text(t.span));
    return t;
  }
  unexpected("the name of a field");
  t.name = numeral(0);
  return t;
}

Expr* Parser::postfix(Expr* e) {
  for (;;) {
    if (is(Tok::IndexBracket)) {
      std::span<Selector> at = selectors();
      height_++;
      if (!at.empty()) e = expr(since(e->span), Index{e, at});
    }
    else if (is(Tok::Dot) && (kind(1) == Tok::Name || kind(1) == Tok::Int || kind(1) >= Tok::True)) {
      take();
      Token field = field_name();
      height_++;
      e = expr(since(e->span), Project{e, field.name, field.span});
    }
    else if (is(Tok::Dot) && kind(1) == Tok::LParen) {
      fail(e->span, err::open_of_value);
      return e;
    }
    else return e;
  }
}

Expr* Parser::atom_start() {
  Token first = peek();
  switch (kind()) {
    case Tok::Int: case Tok::Float: case Tok::String: {
      Literal lit = tokens_.literals[take().literal];
      return expr(first.span, lit);
    }
    case Tok::True: case Tok::False: {
      Literal lit = Literal::of(Literal::Kind::Bool);
      lit.integer = take().kind == Tok::True;
      return expr(first.span, lit);
    }
    case Tok::Hole: take(); return expr(first.span, Hole{});
    case Tok::Constructor: return expr(first.span, Construct{take().name, {}});
    case Tok::Name: {
      Path p = path(Lookup::Scope);
      if (!(is(Tok::Dot) && kind(1) == Tok::LParen)) return expr(p.span, Ref{p, {}});
      take();
      take();
      if (is(Tok::Operator) && kind(1) == Tok::RParen) {
        unexpected("an expression", fmt::format("an operator of a module as a function is `({}.{})`", sources_.text(p.span), sources_.text(peek().span)));
        return expr(p.span, Ref{p, {}});
      }
      Expr* body = exp();
      if (accept(Tok::Comma)) {
        // m.(a, b) opens m around a tuple.
        List<Expr*> parts(*this);
        parts.push_back(body);
        while (!is(Tok::RParen) && !is(Tok::Eof)) {
          parts.push_back(exp());
          if (!accept(Tok::Comma)) break;
        }
        body = expr(since(body->span), Tuple{copy(parts)});
      }
      expect(Tok::RParen, "after the expression");
      return expr(since(first), LocalOpen{p, program_.bind({}, p.span, Binding::Kind::Open), body});
    }
    case Tok::LParen: return parenthesised();
    case Tok::LBracket: {
      take();
      List<Expr*> elems(*this);
      while (!is(Tok::RBracket) && !is(Tok::Eof)) {
        elems.push_back(exp());
        if (!accept(Tok::Comma)) break;
      }
      expect(Tok::RBracket, "after the elements");
      return expr(since(first), ArrayLit{copy(elems)});
    }
    case Tok::LBrace: {
      take();
      std::vector<RecordField> fields;
      std::unordered_map<Name, Span> seen;
      while (!is(Tok::RBrace) && !is(Tok::Eof)) {
        Token name = field_name();
        Expr* value = accept(Tok::Equals) ? exp() : name_exp(name.name, name.span);
        if (auto [before, is_new] = seen.emplace(name.name, name.span); !is_new)
          diags_.report(name.span, err::duplicate_field, name_text(name.name), sources_.place(before->second));
        fields.push_back({name.name, name.span, value});
        if (!accept(Tok::Comma)) break;
      }
      expect(Tok::RBrace, "after the fields");
      return expr(since(first), Record{copy(fields)});
    }
    default: unexpected("an expression");
  }
  return broken(first.span);
}

Expr* Parser::name_exp(Name name, Span span) {
  Path p{};
  p.span = span;
  p.names = copy(std::vector<Name>{name});
  p.spans = copy(std::vector<Span>{span});
  mention(Lookup::Scope, name, span);
  return expr(span, Ref{p, {}});
}

Expr* Parser::parenthesised() {
  Token open = take();
  if (accept(Tok::RParen)) return expr(since(open), Tuple{});
  if (is(Tok::Dot)) return access_section(open);
  bool op_first = op_level() != None && !is_op("!");
  if (is_op("-")) op_first = kind(1) == Tok::RParen;
  if (op_first) {
    Expr* op = op_ref();
    if (accept(Tok::RParen)) return expr(since(open), Section{op, nullptr, nullptr});
    Expr* right = binary(RangeLevel);
    expect(Tok::RParen, "after the section");
    return expr(since(open), Section{op, nullptr, right});
  }
  Expr* e = exp();
  if (int level = op_level(); level != None) {
    // A left section: the operators of e must bind at least as tightly, and nothing at its end takes all that follows.
    if (open_end_ == pos_) unexpected("an operand");
    auto* inner = std::get_if<Operator>(&e->node);
    if (inner && inner->op->span.begin > e->span.begin && e->span.begin == inner->left->span.begin) {
      std::string_view used = sources_.text(inner->op->span);
      int inner_level = used.starts_with("`") || std::get<Ref>(inner->op->node).path.names.size() == 0 ? BacktickLevel
                        : operator_level(name_text(std::get<Ref>(inner->op->node).path.names.back()));
      if (inner_level < level) unexpected("an operand");
    }
    Expr* op = op_ref();
    expect(Tok::RParen, "after the section");
    return expr(since(open), Section{op, e, nullptr});
  }
  if (is(Tok::Comma)) {
    List<Expr*> parts(*this);
    parts.push_back(e);
    while (is(Tok::Comma)) {
      Token comma = take();
      if (is(Tok::RParen)) {
        if (parts.size() == 1) fail(comma.span, err::one_component);
        break;
      }
      parts.push_back(exp());
    }
    expect(Tok::RParen, "after the tuple");
    return expr(since(open), Tuple{copy(parts)});
  }
  expect(Tok::RParen, "after the expression");
  if (!e->bare.valid()) e->bare = e->span;
  e->span = since(open);
  return e;
}

// (.a.b), (.[i].x)
Expr* Parser::access_section(const Token& open) {
  List<Step> out(*this);
  while (!is(Tok::RParen) && !is(Tok::Eof)) {
    Step s{};
    Token first = peek();
    if (accept(Tok::Dot) && !is(Tok::LBracket) && !is(Tok::IndexBracket)) {
      Token field = field_name();
      s.is_field = true, s.field = field.name;
    }
    else if (is(Tok::LBracket) || is(Tok::IndexBracket)) s.at = selectors();
    else unexpected("a field or an index");
    s.span = since(first);
    out.push_back(s);
  }
  expect(Tok::RParen, "after the section");
  return expr(since(open), AccessSection{copy(out)});
}

std::span<Selector> Parser::selectors() {
  List<Selector> out(*this);
  take();
  while (!is(Tok::RBracket) && !is(Tok::Eof)) {
    out.push_back(selector());
    if (!accept(Tok::Comma)) break;
  }
  expect(Tok::RBracket, "after the index");
  return copy(out);
}

Selector Parser::selector() {
  Depth guard(*this);
  Selector s{};
  Token first = peek();
  auto ends = [&] { return is(Tok::Comma) || is(Tok::RBracket) || is(Tok::Colon); };
  if (!ends()) s.at = binary(RangeLevel);
  if (accept(Tok::Colon)) {
    s.slice = true;
    s.from = s.at;
    s.at = nullptr;
    if (!ends()) s.to = binary(RangeLevel);
    if (accept(Tok::Colon)) s.step = binary(RangeLevel);
  }
  else if (!s.at) {
    unexpected("an index");
    s.at = broken(first.span);
  }
  s.span = since(first);
  return s;
}

// Steps of an update: [i].f[j]; the first field of `with` has no dot.
std::span<Step> Parser::steps(bool update) {
  List<Step> out(*this);
  while (is(Tok::LBracket) || is(Tok::IndexBracket) || is(Tok::Dot) || (update && out.empty() && (is(Tok::Name) || is(Tok::Int)))) {
    Step s{};
    Token first = peek();
    if (is(Tok::LBracket) || is(Tok::IndexBracket)) s.at = selectors();
    else {
      accept(Tok::Dot);
      s.is_field = true;
      s.field = field_name().name;
    }
    s.span = since(first);
    out.push_back(s);
  }
  if (out.empty()) unexpected("an index or a field to update");
  return copy(out);
}

Expr* Parser::lambda() {
  Depth guard(*this);
  Token first = take();
  List<Pat*> params(*this);
  while (at_param()) params.push_back(param());
  if (params.empty()) unexpected("a parameter");
  TypeExpr* result = accept(Tok::Colon) ? type_term() : nullptr;
  expect(Tok::Arrow, "before the body of the function");
  Expr* body = exp();
  return expr(since(first), Lambda{copy(params), result, body});
}

// if .. then .. else if .., without recursion along the chain.
Expr* Parser::if_() {
  List<Expr*> chain(*this);
  while (is(Tok::If)) {
    Token first = take();
    Expr* cond = exp();
    expect(Tok::Then, "after the condition");
    Expr* then_ = exp();
    expect(Tok::Else, "before the other branch");
    chain.push_back(expr(first.span, If{cond, then_, nullptr}));
  }
  Expr* last = exp();
  for (size_t i = chain.size(); i-- > 0;) {
    std::get<If>(chain[i]->node).else_ = last;
    chain[i]->span = join(chain[i]->span, last->span);
    last = chain[i];
  }
  return last;
}

// let .. in let .. in body, without recursion along the chain.
Expr* Parser::let_chain() {
  List<Expr*> chain(*this);
  Expr* body = nullptr;
  while (is(Tok::Let)) {
    Token first = take();
    Expr* e = nullptr;
    bool named = is(Tok::Name) || (is(Tok::LParen) && kind(1) == Tok::Operator && kind(2) == Tok::RParen && !is(Tok::Name));
    List<TypeParam> sizes(*this);
    while (is(Tok::LBracket) || is(Tok::IndexBracket)) sizes.push_back(type_param());
    if (is(Tok::Name) && sizes.empty() && (kind(1) == Tok::IndexBracket || (kind(1) == Tok::Dot && kind(2) != Tok::DotDot))) {
      Token name = take();
      std::span<Step> path = steps(false);
      if (at_param()) fail(peek().span, err::size_needs_blank, sources_.text(peek().span), name_text(name.name));
      expect(Tok::Equals, "and the new value");
      Expr* value = exp();
      Expr* with = expr(since(name), With{name_exp(name.name, name.span), path, value});
      Pat* p = pat(name.span, PVar{program_.bind(name.name, name.span, Binding::Kind::Value)});
      e = expr(since(first), Let{{}, p, with, nullptr});
    }
    else if (named && sizes.empty() && is(Tok::Name) && kind(1) != Tok::Equals && kind(1) != Tok::Colon) {
      Def* def = program_.arena.make<Def>();
      def->self = bound_name(Binding::Kind::Value);
      def->name_span = def->self->span;
      def->self->def = def;
      def->tparams = type_params();
      List<Pat*> params(*this);
      while (at_param()) params.push_back(param());
      if (params.empty()) unexpected("a parameter or `=`");
      def->params = copy(params);
      if (accept(Tok::Colon)) def->result = type();
      expect(Tok::Equals, "before the body of the function");
      def->body = exp();
      def->span = since(first);
      e = expr(since(first), LetFun{def, nullptr});
    }
    else {
      Pat* p = pattern();
      expect(Tok::Equals, "and the value");
      Expr* value = exp();
      e = expr(since(first), Let{copy(sizes), p, value, nullptr});
    }
    chain.push_back(e);
    if (is(Tok::Let)) continue;
    if (!is(Tok::In)) missing_in(first);
    take();
    if (is(Tok::Let)) continue;
    body = exp();
    break;
  }
  if (!body) body = broken(peek().span);
  for (size_t i = chain.size(); i-- > 0;) {
    Expr* e = chain[i];
    if (auto* let = std::get_if<Let>(&e->node)) let->body = body;
    else std::get<LetFun>(e->node).body = body;
    e->span = join(e->span, body->span);
    body = e;
  }
  return body;
}

// The initial value of a loop that does not say one: the variables of its pattern.
Expr* Parser::pattern_as_exp(Pat* p) {
  return match(p->node,
      [&](PVar& v) { return name_exp(v.var->name, v.var->span); },
      [&](PTuple& t) {
        std::vector<Expr*> parts;
        for (Pat* q : t.parts) parts.push_back(pattern_as_exp(q));
        return expr(p->span, Tuple{copy(parts)});
      },
      [&](PRecord& r) {
        std::vector<RecordField> fields;
        for (PField& f : r.fields) fields.push_back({f.name, f.span, pattern_as_exp(f.pat)});
        return expr(p->span, Record{copy(fields)});
      },
      [&](PAscribe& a) { return pattern_as_exp(a.pat); },
      [&](PAttr& a) { return pattern_as_exp(a.pat); },
      [&](PWild&) { diags_.report(p->span, err::implicit_loop_start, "wildcard"); return broken(p->span); },
      [&](PLiteral&) { diags_.report(p->span, err::implicit_loop_start, "literal"); return broken(p->span); },
      [&](PConstr&) { diags_.report(p->span, err::implicit_loop_start, "constructor"); return broken(p->span); });
}

Expr* Parser::loop() {
  Token first = take();
  Loop l{};
  if (is(Tok::LBracket)) unexpected("a pattern");
  l.state = pattern();
  l.implicit_init = !is(Tok::Equals);
  l.init = accept(Tok::Equals) ? exp() : failed_ ? broken(first.span) : pattern_as_exp(l.state);
  if (accept(Tok::While)) {
    l.form = Loop::Form::While;
    l.bound = exp();
  }
  else {
    expect(Tok::For, "or `while` after the start of the loop");
    if (is(Tok::Name) && is_op("<", 1)) {
      l.form = Loop::Form::For;
      Token name = take();
      l.index = pat(name.span, PVar{program_.bind(name.name, name.span, Binding::Kind::Value)});
      take();
      l.bound = exp();
    }
    else {
      l.form = Loop::Form::ForIn;
      l.index = pattern();
      expect(Tok::In, "and the array");
      l.bound = exp();
    }
  }
  expect(Tok::Do, "before the body of the loop");
  l.body = exp();
  return expr(since(first), l);
}

Expr* Parser::match_() {
  Token first = take();
  Expr* on = exp();
  List<Case> cases(*this);
  if (is(Tok::Eof)) fail(peek().span, err::match_without_cases);
  if (!is(Tok::Case)) unexpected("`case`");
  while (accept(Tok::Case)) {
    Pat* p = pattern();
    auto ascribed = std::get_if<PAscribe>(&p->node);
    if (ascribed && !is(Tok::Arrow) && std::holds_alternative<TArrow>(ascribed->type->node)) fail(p->span, err::ascription_in_case);
    expect(Tok::Arrow, "before the body of the case");
    Expr* body = exp();
    cases.push_back({p, body});
  }
  return expr(since(first), Match{on, copy(cases)});
}

Expr* Parser::assert_() {
  Token first = take();
  Expr* cond = atom();
  if (is(Tok::Operator) && !is_op("-") && !is_op("!")) unexpected("a value", "a condition with operators stands in parentheses: `assert (a < b) e`");
  Expr* body = exp();
  return expr(since(first), Assert{cond, body});
}

Expr* Parser::attributed() {
  Token first = take();
  Attr a = attr();
  end_attribute();
  Expr* body = exp();
  return expr(since(first), Attributed{a, body});
}

}  // namespace raido::ast
