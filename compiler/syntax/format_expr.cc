// format_expr.cc - the layout of patterns and expressions. Chains of lets, branches and operators are one group each.
#include "compiler/syntax/parse.h"
#include "compiler/syntax/formatter.h"

namespace raido::ast {

Doc Formatter::pattern() {
  std::vector<Doc> all;
  while (is(Tok::HashBracket)) all.push_back(attribute()), all.push_back(gap(Gap::Space));
  bool constructor = is(Tok::Constructor);
  all.push_back(inner_pattern());
  while (constructor && at_inner_pattern()) all.push_back(gap(Gap::Space)), all.push_back(inner_pattern());
  if (is(Tok::Colon)) {
    all.push_back(gap(Gap::None));
    all.push_back(tok());
    Doc space = gap(Gap::Keep);
    all.push_back(nest(2, {space, type()}));
  }
  return concat(std::move(all));
}

bool Formatter::at_inner_pattern() const {
  switch (kind()) {
    case Tok::Name: case Tok::Underscore: case Tok::LParen: case Tok::LBrace: case Tok::Int: case Tok::Float: case Tok::True:
    case Tok::False: case Tok::Constructor: return true;
    default: return is_op("-");
  }
}

Doc Formatter::inner_pattern() {
  if (is_op("-") && (kind(1) == Tok::Int || kind(1) == Tok::Float)) {
    Doc minus = tok();
    Doc space = gap(Gap::None);
    return concat({minus, space, tok()});
  }
  if (is(Tok::LParen) && (kind(1) == Tok::Operator || kind(1) == Tok::QualOperator) && kind(2) == Tok::RParen) {
    Doc open = tok(), a = gap(Gap::None), op = tok(), b = gap(Gap::None);
    return concat({open, a, op, b, tok()});
  }
  if (is(Tok::LParen) && kind(1) == Tok::Backtick) {
    Doc open = tok(), a = gap(Gap::None), op = backticks(), b = gap(Gap::None);
    return concat({open, a, op, b, tok()});
  }
  if (is(Tok::LParen)) return list(Tok::RParen, Gap::Keep, [&] { return pattern(); });
  if (is(Tok::LBrace))
    return list(Tok::RBrace, Gap::Keep, [&] {
      std::vector<Doc> field{tok()};
      if (is(Tok::Equals)) {
        field.push_back(gap(Gap::Space));
        field.push_back(tok());
        field.push_back(gap(Gap::Space));
        field.push_back(pattern());
      } else if (is(Tok::Colon)) {
        field.push_back(gap(Gap::None));
        field.push_back(tok());
        field.push_back(gap(Gap::Space));
        field.push_back(type());
      }
      return concat(std::move(field));
    });
  return tok();
}

bool Formatter::at_binary_operator() const {
  switch (kind()) {
    case Tok::Operator: case Tok::QualOperator: return kind(1) != Tok::RParen;
    case Tok::Backtick: {
      size_t k = 1;
      while (kind(k) != Tok::Backtick && kind(k) != Tok::Eof) k++;
      return kind(k + 1) != Tok::RParen;
    }
    default: return false;
  }
}

// How tightly the operator at hand binds; 0: there is none.
int Formatter::level() const {
  if (at_dots()) return 2;
  if (is(Tok::With)) return 4;
  if (!at_binary_operator()) return 0;
  if (is(Tok::Backtick)) return 3;
  std::string_view op = word();
  if (is(Tok::QualOperator)) op.remove_prefix(std::min(op.find_first_of("+-*/%=!><|&^"), op.size()));
  return operator_level(op);
}

Doc Formatter::exp() {
  Doc first = chain(2);
  while (is(Tok::Colon) || is(Tok::ColonGreater)) {
    std::vector<Doc> all{gap(Gap::Keep), tok(), gap(Gap::Space), type()};
    Doc rest = nest(2, std::move(all));
    first = align({first, rest});
  }
  return first;
}

// Operands and operators that bind as tightly as `least`. Those of one level stand below each other; an operand of
// tighter ones is kept together if it can be. Pipes are broken together.
Doc Formatter::chain(int least) {
  std::vector<Doc> all{operand()};
  bool block = pieces_[all[0]].block;
  constexpr int pipe = 5;
  int current = 100;
  auto close = [&] {
    if (all.size() == 1) return;
    Doc d = current == pipe ? group({align(std::move(all))}) : align(std::move(all));
    pieces_[d].block = block;
    all = {mark_spaced(d)};
  };
  for (;;) {
    int l = level();
    if (l == 0 || l < least) break;
    if (l == 2) {
      close();
      all = {range(all[0])};
      current = l;
      continue;
    }
    if (l < current) {
      close();
      current = l;
    }
    if (l == 4) {
      Doc space = gap(Gap::Keep), with = tok(), after = gap(Gap::Space);
      std::vector<Doc> clause{with, after};
      steps(clause);
      clause.push_back(gap(Gap::Space));
      if (is(Tok::Equals)) clause.push_back(tok());
      Doc value_gap = gap(Gap::Keep);
      clause.push_back(nest(2, {value_gap, chain(pipe)}));
      all.push_back(space);
      all.push_back(concat(std::move(clause)));
      continue;
    }
    Doc space = gap(l == pipe ? Gap::Line : Gap::Keep, !is(Tok::Backtick));
    Doc op = is(Tok::Backtick) ? backticks() : tok();
    Doc after = gap(Gap::Space);
    Doc right = chain(l + 1);
    all.push_back(space);
    all.push_back(concat({op, after, right}));
  }
  close();
  return all[0];
}

// `a..<b`, and with blanks if an operand has any.
Doc Formatter::range(Doc first) {
  std::vector<Doc> all{first}, gaps;
  bool spaced = has_blank(first);
  while (at_dots()) {
    gaps.push_back(gap(Gap::None));
    all.push_back(gaps.back());
    all.push_back(tok());
    gaps.push_back(gap(Gap::None));
    all.push_back(gaps.back());
    all.push_back(chain(3));
    spaced |= has_blank(all.back());
  }
  if (!spaced) return concat(std::move(all));
  for (Doc g : gaps) {
    Piece& p = pieces_[g];
    if (p.kind != Piece::Kind::Gap || p.forced) continue;
    p.gap = Gap::Space;
    p.width = p.head = p.lead = 1;
  }
  return mark_spaced(concat(std::move(all)));
}

// `[i].a[j]` after `with` or a name
void Formatter::steps(std::vector<Doc>& out) {
  bool first = true;
  while (!is(Tok::Equals) && !is(Tok::Eof)) {
    if (!first) out.push_back(gap(Gap::None));
    if (is(Tok::LBracket) || is(Tok::IndexBracket)) out.push_back(indices());
    else out.push_back(tok());
    first = false;
  }
}

Doc Formatter::operand() {
  switch (kind()) {
    case Tok::If: return mark_block(if_chain());
    case Tok::Let: return mark_block(let_chain());
    case Tok::Loop: return mark_block(loop());
    case Tok::Match: return mark_block(match_());
    case Tok::Backslash: return mark_spaced(lambda());
    case Tok::Assert: {
      Doc keyword = tok(), a = gap(Gap::Space), cond = atom(), b = gap(Gap::Keep);
      return mark_block(align({keyword, a, cond, b, exp()}));
    }
    case Tok::HashBracket: {
      Doc a = attribute(), space = gap(Gap::Keep);
      Doc body = exp();
      Doc d = align({a, space, body});
      pieces_[d].block = true;
      return mark_spaced(d);
    }
    default: break;
  }
  if (is_op("-") || is_op("!")) {
    Doc op = tok();
    Doc space = gap(is(Tok::Operator) || is(Tok::QualOperator) ? Gap::Space : Gap::None);
    return concat({op, space, operand()});
  }
  return application();
}

bool Formatter::at_atom() const {
  switch (kind()) {
    case Tok::Name: case Tok::Int: case Tok::Float: case Tok::String: case Tok::True: case Tok::False: case Tok::Constructor:
    case Tok::Hole: case Tok::LParen: case Tok::LBracket: case Tok::LBrace: return true;
    default: return false;
  }
}

Doc Formatter::application() {
  Doc head = atom();
  std::vector<Doc> args;
  while (at_atom() || is(Tok::Backslash)) {
    args.push_back(gap(Gap::Keep));
    bool last = is(Tok::Backslash);
    args.push_back(last ? lambda() : atom());
    if (last) break;
  }
  if (args.empty()) return head;
  Doc rest = nest(2, std::move(args));
  return mark_spaced(align({head, rest}));
}

Doc Formatter::indices() {  // [i, j:k]
  return list(Tok::RBracket, Gap::Keep, [&] {
    std::vector<Doc> all;
    while (!is(Tok::Comma) && !is(Tok::RBracket) && !is(Tok::Eof)) {
      if (!all.empty()) all.push_back(gap(Gap::None));
      size_t at = pos_;
      all.push_back(is(Tok::Colon) ? tok() : chain(2));
      if (pos_ == at) all.push_back(tok());
    }
    return concat(std::move(all));
  });
}

Doc Formatter::atom() {
  std::vector<Doc> all;
  switch (kind()) {
    case Tok::LParen: all.push_back(parenthesised()); break;
    case Tok::LBracket:
      keep_columns();
      all.push_back(list(Tok::RBracket, Gap::Keep, [&] { return exp(); }));
      break;
    case Tok::LBrace:
      all.push_back(list(Tok::RBrace, Gap::Line, [&] {
        Doc name = tok();
        if (!is(Tok::Equals)) return name;
        return concat({name, value_after_equals()});
      }));
      break;
    default: all.push_back(tok());
  }
  for (;;) {
    if (is(Tok::IndexBracket)) {
      all.push_back(gap(Gap::None));
      all.push_back(indices());
    } else if (is(Tok::Dot) && kind(1) == Tok::LParen) {
      all.push_back(gap(Gap::None));
      all.push_back(tok());
      all.push_back(gap(Gap::None));
      all.push_back(list(Tok::RParen, Gap::Keep, [&] { return exp(); }));
    } else if (is(Tok::Dot) && (kind(1) == Tok::Name || kind(1) == Tok::Int)) {
      all.push_back(gap(Gap::None));
      all.push_back(tok());
      all.push_back(gap(Gap::None));
      all.push_back(tok());
    } else {
      return all.size() == 1 ? all[0] : concat(std::move(all));
    }
  }
}

// Parentheses, tuples and sections.
Doc Formatter::parenthesised() {
  if (kind(1) == Tok::Dot) {  // (.a[i])
    Doc open = tok();
    std::vector<Doc> all{open};
    while (!is(Tok::RParen) && !is(Tok::Eof)) {
      all.push_back(gap(Gap::None));
      all.push_back(is(Tok::LBracket) || is(Tok::IndexBracket) ? indices() : tok());
    }
    all.push_back(gap(Gap::None));
    all.push_back(tok());
    return concat(std::move(all));
  }
  bool op_first = (kind(1) == Tok::Operator || kind(1) == Tok::QualOperator || kind(1) == Tok::Backtick);
  if (op_first && (is_op("-", 1) || is_op("!", 1))) op_first = kind(2) == Tok::RParen;
  if (op_first) {
    std::vector<Doc> all{tok(), gap(Gap::None)};
    all.push_back(is(Tok::Backtick) ? backticks() : tok());
    if (!is(Tok::RParen)) all.push_back(gap(Gap::Space)), all.push_back(exp());
    all.push_back(gap(Gap::None));
    if (is(Tok::RParen)) all.push_back(tok());
    return concat(std::move(all));
  }
  return list(Tok::RParen, Gap::Keep, [&] {
    Doc e = exp();
    if (!is(Tok::Operator) && !is(Tok::QualOperator) && !is(Tok::Backtick)) return e;
    Doc space = gap(Gap::Space);
    return concat({e, space, is(Tok::Backtick) ? backticks() : tok()});
  });
}

// if c then a else if d then b else e: one chain. `then` ends its line if the first branch begins below it.
Doc Formatter::if_chain() {
  std::vector<Doc> all;
  bool below = false, first = true;
  for (;;) {
    all.push_back(tok());
    all.push_back(gap(Gap::Space));
    all.push_back(align({exp()}));
    if (is(Tok::Then)) {
      if (first) below = trivia_[pos_ + 1].newline && !trivia_[pos_].newline;
      first = false;
      all.push_back(gap(below ? Gap::Space : Gap::Line));
      all.push_back(tok());
      all.push_back(branch(below));
    }
    if (!is(Tok::Else)) break;
    all.push_back(gap(Gap::Line));
    all.push_back(tok());
    if (is(Tok::If)) {
      all.push_back(gap(Gap::Space));
      continue;
    }
    all.push_back(branch(below));
    break;
  }
  return group({align(std::move(all))});
}

Doc Formatter::branch(bool below) {
  Doc space = gap(below ? Gap::Line : Gap::Keep);
  return nest(2, {space, exp()});
}

Doc Formatter::let_chain() {
  std::vector<Doc> all;
  for (;;) {
    Doc keyword = tok();
    bool update = is(Tok::Name) && (kind(1) == Tok::IndexBracket || kind(1) == Tok::Dot);
    bool function = is(Tok::Name) && !update && kind(1) != Tok::Equals && kind(1) != Tok::Colon;
    if (function) {
      all.push_back(definition(keyword));
    } else {
      all.push_back(keyword);
      all.push_back(gap(Gap::Space));
      if (update) {
        all.push_back(tok());
        all.push_back(gap(Gap::None));
        steps(all);
      } else {
        while (is(Tok::LBracket) || is(Tok::IndexBracket)) all.push_back(param_item()), all.push_back(gap(Gap::Space));
        all.push_back(pattern());
      }
      all.push_back(value_after_equals());
    }
    if (is(Tok::Let)) {
      all.push_back(gap(Gap::LineBlank));
      continue;
    }
    if (!is(Tok::In)) break;
    all.push_back(gap(Gap::LineBlank));
    Doc in = tok();
    all.push_back(in);
    if (is(Tok::Let)) {
      all.push_back(gap(Gap::Space));
      continue;
    }
    Doc space = gap(Gap::Space);
    all.push_back(nest(2, {space, align({exp()})}));
    break;
  }
  return group({align(std::move(all))});
}

Doc Formatter::loop() {
  std::vector<Doc> all{tok(), gap(Gap::Space), pattern()};
  if (is(Tok::Equals)) all.push_back(value_after_equals());
  if (is(Tok::While)) {
    all.push_back(gap(Gap::Keep));
    all.push_back(tok());
    all.push_back(gap(Gap::Space));
    all.push_back(align({exp()}));
  } else if (is(Tok::For)) {
    all.push_back(gap(Gap::Keep));
    all.push_back(tok());
    all.push_back(gap(Gap::Space));
    if (is(Tok::Name) && is_op("<", 1)) {
      all.push_back(tok());
      all.push_back(gap(Gap::Space));
      all.push_back(tok());
    } else {
      all.push_back(pattern());
      all.push_back(gap(Gap::Space));
      if (is(Tok::In)) all.push_back(tok());
    }
    all.push_back(gap(Gap::Space));
    all.push_back(align({exp()}));
  }
  if (is(Tok::Do)) {
    all.push_back(gap(Gap::Space));
    all.push_back(tok());
    Doc space = gap(Gap::Line);
    Doc body = exp();
    all.push_back(group({nest(2, {space, body})}));
  }
  return align(std::move(all));
}

Doc Formatter::match_() {
  std::vector<Doc> all{tok(), gap(Gap::Space), align({exp()})};
  while (is(Tok::Case)) {
    all.push_back(gap(Gap::Line));
    all.push_back(tok());
    all.push_back(gap(Gap::Space));
    all.push_back(align({pattern()}));
    all.push_back(gap(Gap::Space));
    if (is(Tok::Arrow)) all.push_back(tok());
    all.push_back(continuation());
  }
  return group({align(std::move(all))});
}

Doc Formatter::lambda() {
  std::vector<Doc> all{tok()};
  std::vector<Doc> items = params();
  all.push_back(align(std::move(items)));
  if (is(Tok::Colon)) {
    all.push_back(gap(Gap::None));
    all.push_back(tok());
    all.push_back(gap(Gap::Space));
    all.push_back(type_term());
  }
  all.push_back(gap(Gap::Space));
  if (is(Tok::Arrow)) all.push_back(tok());
  all.push_back(continuation());
  return align(std::move(all));
}

}  // namespace raido::ast
