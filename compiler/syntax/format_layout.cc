// format_layout.cc - the pieces of a layout. A piece knows how wide it is and where its first line may end, so that a group is laid
// out in one look.
#include "compiler/base/text.h"
#include "compiler/syntax/formatter.h"

namespace raido::ast {

Doc Formatter::add(Piece p) {
  pieces_.push_back(std::move(p));
  return Doc(pieces_.size() - 1);
}

// The token at hand, glued to the one before it if no gap was made.
Doc Formatter::tok() {
  if (pos_ > 0 && !gapped_[pos_]) {
    Doc glue = gap(Gap::None);
    return concat({glue, tok()});
  }
  Piece p{Piece::Kind::Text};
  p.token = uint32_t(pos_);
  p.width = p.head = p.lead = characters(word());
  p.forced = is(Tok::Doc) && newlines(word()) > 0;
  if (!is(Tok::Eof)) pos_++;
  return add(std::move(p));
}

// Between the token before the one at hand and that. With `ahead`, a new line after the token at hand counts as one before it.
Doc Formatter::gap(Gap g, bool ahead) {
  size_t at = pos_;
  bool newline = trivia_[at].newline || (ahead && trivia_[at + 1].newline && trivia_[at + 1].comments.empty());
  if (gapped_[at]) return concat({});          // two asked for it: one is enough
  gapped_[at] = true;
  Piece p{Piece::Kind::Gap};
  const Trivia& t = trivia_[at];
  // `a[i]` indexes and `a [i]` does not.
  if (tokens_[at].kind == Tok::IndexBracket) g = tokens_[at - 1].kind == Tok::With ? Gap::Space : Gap::None;
  else if (g == Gap::None && tokens_[at].kind == Tok::LBracket && indexes_after(at)) g = Gap::Space;
  p.gap = g;
  p.token = uint32_t(at);
  p.width = p.head = p.lead = (g == Gap::None ? 0 : 1) + padding_[at];
  p.forced = !t.comments.empty() || g >= Gap::Hard || (g == Gap::Keep && newline);
  p.broken_line = (g == Gap::Line || g == Gap::LineBlank) && newline;
  p.breaks = g >= Gap::Line || p.forced;
  if (p.breaks) p.lead = 0;
  if (p.forced) p.head = 0;
  return add(std::move(p));
}

bool Formatter::indexes_after(size_t at) const {
  if (at == 0) return false;
  char c = text_[tokens_[at - 1].span.end - 1];
  return c == ')' || c == ']' || is_name_char(c);
}

Doc Formatter::nest(int indent, std::vector<Doc> children) {
  Doc d = wrap(Piece::Kind::Nest, std::move(children));
  pieces_[d].indent = indent;
  return d;
}

// Its Line gaps, and those of what is inside it without being a group, are broken together.
Doc Formatter::group(std::vector<Doc> children) {
  Doc d = wrap(Piece::Kind::Group, std::move(children));
  Piece& p = pieces_[d];
  if (p.broken_line) {
    p.forced = true;
    p.head = std::min(p.head, p.lead);
  }
  p.broken_line = false;
  return d;
}

Doc Formatter::wrap(Piece::Kind k, std::vector<Doc> children) {
  Piece p{k};
  for (Doc c : children) {
    const Piece& q = pieces_[c];
    if (!p.breaks) p.lead += q.lead;
    if (!p.forced) p.head += q.head;
    p.width += q.width;
    p.breaks |= q.breaks;
    p.forced |= q.forced;
    p.broken_line |= q.broken_line;
  }
  p.children = std::move(children);
  return add(std::move(p));
}

// A gap that has to be a new line.
void Formatter::force(Doc d, Gap g) {
  Piece& p = pieces_[d];
  p.gap = g;
  p.forced = p.breaks = true;
  p.head = p.lead = 0;
}

// Called at the start of a matrix of numbers and names whose rows stand below each other. Where each column begins or ends in one
// place, it returns the blanks that keep it so.
void Formatter::keep_columns() {
  struct Cell { size_t token; uint32_t width, begin, end; };
  constexpr uint32_t widest = 60;                  // of a row that surely stays on its line
  std::vector<std::vector<Cell>> rows;
  auto token = [&](size_t i) { return i < tokens_.size() ? tokens_[i].kind : Tok::Eof; };
  auto on_line = [&](size_t i) { return !trivia_[i].newline && trivia_[i].comments.empty(); };
  size_t i = pos_ + 1;
  while (token(i) == Tok::LBracket && (rows.empty() || trivia_[i].newline) && trivia_[i].comments.empty()) {
    uint32_t row = column_of(tokens_[i].span.begin);
    rows.emplace_back();
    do {
      size_t first = ++i;
      if (token(i) == Tok::Operator && text_of(i) == "-" && tokens_[i].span.end == tokens_[i + 1].span.begin) i++;
      if ((token(i) != Tok::Int && token(i) != Tok::Float && token(i) != Tok::Name) || !on_line(first)) return;
      uint32_t begin = column_of(tokens_[first].span.begin) - row, end = column_of(tokens_[i].span.end) - row;
      rows.back().push_back({first, end - begin, begin, end});
      i++;
    } while (token(i) == Tok::Comma && on_line(i));
    if (token(i) != Tok::RBracket || !on_line(i)) return;
    if (token(++i) != Tok::Comma) break;
    i++;
  }
  if (token(i) != Tok::RBracket || rows.size() < 2) return;
  size_t n = rows[0].size();
  std::vector<uint32_t> wide(n);
  std::vector<bool> right(n);
  uint32_t width = 0;
  for (const auto& row : rows) if (row.size() != n) return;
  for (size_t k = 0; k < n; k++) {
    auto all = [&](auto&& place) { return std::all_of(rows.begin(), rows.end(), [&](auto& row) { return place(row[k]) == place(rows[0][k]); }); };
    right[k] = all([](const Cell& c) { return c.end; });
    if (!right[k] && !all([](const Cell& c) { return c.begin; })) return;
    for (const auto& row : rows) wide[k] = std::max(wide[k], row[k].width);
    width += wide[k] + 2;
  }
  if (width > widest) return;
  for (const auto& row : rows)
    for (size_t k = 0; k < n; k++) {
      if (right[k]) padding_[row[k].token] += wide[k] - row[k].width;
      else if (k + 1 < n) padding_[row[k + 1].token] += wide[k] - row[k].width;
    }
}

Doc Formatter::mark_spaced(Doc d) {
  if (spaced_.size() <= d) spaced_.resize(d + 1);
  spaced_[d] = true;
  return d;
}

Doc Formatter::mark_block(Doc d) {
  pieces_[d].block = true;
  return mark_spaced(d);
}

}  // namespace raido::ast
