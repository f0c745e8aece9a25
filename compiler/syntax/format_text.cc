// format_text.cc - the layout as text: groups are laid out from left to right, and a group that fits stays on its line.
#include "compiler/syntax/formatter.h"

namespace raido::ast {

// Would what comes next fit after `column`, up to a place after it where the line may end?
bool Formatter::next_fits(uint32_t column, const std::vector<Command>& rest) const {
  if (rest.empty()) return true;
  const Piece& p = pieces_[rest.back().doc];
  if (p.forced) return column + p.head <= line_width;
  return rest_fits(column + p.width, rest, rest.size() - 1);
}

// Would what stands on `rest` below `from` fit, up to the first place where the line may end?
bool Formatter::rest_fits(uint32_t width, const std::vector<Command>& rest, size_t from) const {
  for (size_t i = from; i-- > 0 && width <= line_width;) {
    const Piece& q = pieces_[rest[i].doc];
    if (q.breaks && !rest[i].flat) return width + q.lead <= line_width;
    width += q.width;
  }
  return width <= line_width;
}

void Formatter::render(Doc root) {
  std::vector<Command> stack{{0, false, root}};
  while (!stack.empty()) {
    Command c = stack.back();
    stack.pop_back();
    const Piece& p = pieces_[c.doc];
    switch (p.kind) {
      case Piece::Kind::Text: put_token(p.token, c.indent); break;
      case Piece::Kind::Gap: put_gap(p, c, stack); break;
      case Piece::Kind::Concat: push(stack, p, c.indent, c.flat); break;
      case Piece::Kind::Nest: push(stack, p, c.indent + uint32_t(p.indent), c.flat); break;
      case Piece::Kind::Align: push(stack, p, column_, c.flat); break;
      case Piece::Kind::Group: {
        bool flat = c.flat || (!p.forced && rest_fits(column_ + p.width, stack, stack.size()));
        push(stack, p, c.indent, flat);
        break;
      }
    }
  }
}

void Formatter::push(std::vector<Command>& stack, const Piece& p, uint32_t indent, bool flat) {
  for (size_t i = p.children.size(); i-- > 0;) stack.push_back({indent, flat, p.children[i]});
}

void Formatter::put_token(uint32_t token, uint32_t indent) {
  std::string_view text = text_of(token);
  if (tokens_[token].kind != Tok::Doc) {
    out_ += text;
    column_ += characters(text);
    return;
  }
  bool first = true, breaks = false;
  for (size_t i = 0; i <= text.size();) {
    size_t end = std::min(text.find('\n', i), text.size());
    std::string_view written = text.substr(i, end - i), line = trimmed(written);
    if (!first) new_line(indent);
    if (breaks) out_.insert(out_.size() - indent - 1, "  ");
    out_ += line;
    first = false;
    breaks = written.ends_with("  ") && line.size() > 2;       // of the text: Markdown
    i = end + 1;
  }
}

void Formatter::new_line(uint32_t indent) {
  while (!out_.empty() && out_.back() == ' ') out_.pop_back();
  if (!out_.empty()) out_ += '\n';
  out_.append(indent, ' ');
  column_ = indent;
}

void Formatter::put_blanks(uint32_t n) {
  out_.append(n, ' ');
  column_ += n;
}

void Formatter::put_gap(const Piece& p, const Command& c, const std::vector<Command>& rest) {
  const Trivia& t = trivia_[p.token];
  bool keeps_blank = p.gap == Gap::LineBlank || p.gap == Gap::HardBlank || p.gap == Gap::Separate;
  if (!t.comments.empty()) {
    bool any_blank = t.blank;
    for (uint32_t k : t.comments) any_blank |= comments_[k].blank_before;
    bool separate = p.gap == Gap::Separate && !any_blank;
    for (uint32_t k : t.comments) {
      const CommentText& comment = comments_[k];
      if (comment.trailing) {
        put_trailing(k);
        continue;
      }
      if ((comment.blank_before || separate) && !out_.empty()) out_ += '\n';
      separate = false;
      new_line(comment.at_margin ? 0 : c.indent + uint32_t(p.indent));
      out_ += comment.text;
    }
    if ((t.blank && keeps_blank) || separate) out_ += '\n';
    new_line(c.indent);
    return;
  }
  bool broken = false;
  switch (p.gap) {
    case Gap::None: put_blanks(padding_[p.token]); return;
    case Gap::Space: break;
    case Gap::Line: case Gap::LineBlank: broken = !c.flat; break;
    case Gap::Keep: broken = !c.flat && (p.forced || !next_fits(column_ + 1, rest)); break;
    case Gap::Hard: case Gap::HardBlank: case Gap::Separate: broken = true; break;
  }
  if (!broken) return put_blanks(1 + padding_[p.token]);
  if (p.gap == Gap::Separate || (keeps_blank && t.blank)) out_ += '\n';
  new_line(c.indent);
}

}  // namespace raido::ast
