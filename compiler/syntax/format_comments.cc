// format_comments.cc - comments: each is kept with the token after it, test blocks stay at the margin, and comments after consecutive
// lines stay below each other.
#include "compiler/syntax/formatter.h"

namespace raido::ast {

std::string_view Formatter::trimmed(std::string_view s) {
  size_t a = s.find_first_not_of(" \t\r\f\v"), b = s.find_last_not_of(" \t\r\f\v");
  return a == std::string_view::npos ? std::string_view() : s.substr(a, b - a + 1);
}

void Formatter::place_comments(const std::vector<Comment>& comments) {
  trivia_.resize(tokens_.size());
  size_t next = 0;
  uint32_t before = 0, line = 0, counted = 0;
  for (size_t i = 0; i < tokens_.size(); i++) {
    // The end is counted as standing after all comments.
    uint32_t begin = tokens_[i].kind == Tok::Eof ? uint32_t(text_.size()) : tokens_[i].span.begin;
    uint32_t from = before;
    size_t first = next;
    for (; next < comments.size() && comments[next].span.begin < begin; next++) {
      const Comment& c = comments[next];
      if (c.doc) continue;
      std::string_view space = text_.substr(from, c.span.begin - from);
      CommentText t;
      t.text = trimmed(text_.substr(c.span.begin, c.span.end - c.span.begin));
      t.trailing = newlines(space) == 0 && i > 0 && next == first;
      t.blank_before = newlines(space) > 1 && (i > 0 || next > first);
      t.at_margin = false;
      line += uint32_t(newlines(text_.substr(counted, c.span.begin - counted)));
      counted = c.span.begin;
      t.line = line;
      t.column = column_of(c.span.begin);
      if (newlines(space) > 0) trivia_[i].newline = true;
      trivia_[i].comments.push_back(uint32_t(comments_.size()));
      comments_.push_back(std::move(t));
      from = c.span.end;
    }
    std::string_view space = text_.substr(from, begin - from);
    if (newlines(space) > 0) trivia_[i].newline = true;
    if (newlines(space) > 1) trivia_[i].blank = true;
    mark_test_blocks(trivia_[i], comments, first);
    before = tokens_[i].span.end;
  }
}

// A run of comment lines with `-- ==` in column 0 is a test block, and is one only there.
void Formatter::mark_test_blocks(const Trivia& t, const std::vector<Comment>& comments, size_t first) {
  bool block = false;
  for (size_t k = t.comments.size(); k-- > 0;) {
    CommentText& c = comments_[t.comments[k]];
    uint32_t begin = comments[first + k].span.begin;
    bool margin = begin == 0 || text_[begin - 1] == '\n';
    if (margin && c.text == "-- ==") block = true;
    c.at_margin = block && margin;
    if (c.blank_before) block = false;
  }
  block = false;
  for (uint32_t index : t.comments) {
    CommentText& c = comments_[index];
    if (c.blank_before) block = false;
    if (c.at_margin) block = true;
    else if (block && !c.trailing) c.at_margin = true;
  }
}

uint32_t Formatter::column_of(size_t offset) const {
  size_t newline = offset > 0 ? text_.rfind('\n', offset - 1) : text_.npos, start = newline == text_.npos ? 0 : newline + 1;
  return characters(text_.substr(start, offset - start));
}

// The comments after the last token, and the end of its line.
void Formatter::end_of_file() {
  for (uint32_t k : trivia_.back().comments) {
    const CommentText& comment = comments_[k];
    if (comment.trailing) put_trailing(k);
    else if (!out_.empty()) out_ += comment.blank_before ? "\n\n" : "\n";
    if (!comment.trailing) out_ += comment.text;
  }
  if (!out_.empty()) out_ += '\n';
}

void Formatter::put_trailing(uint32_t comment) {
  trailing_.push_back({out_.size(), comment});
  out_ += "  ";
  out_ += comments_[comment].text;
}

// Comments after lines that follow each other stay below each other.
void Formatter::align_comments() {
  auto column = [&](const Trailing& t) {
    size_t start = out_.rfind('\n', t.at);
    start = start == out_.npos ? 0 : start + 1;
    return characters(std::string_view(out_).substr(start, t.at - start));
  };
  for (size_t last = trailing_.size(), first; last > 0; last = first) {
    first = last - 1;
    auto follows = [&](const Trailing& a, const Trailing& b) {
      const CommentText &x = comments_[a.comment], &y = comments_[b.comment];
      return x.line + 1 == y.line && x.column == y.column && newlines(std::string_view(out_).substr(a.at, b.at - a.at)) == 1;
    };
    while (first > 0 && follows(trailing_[first - 1], trailing_[first])) first--;
    uint32_t widest = 0;
    for (size_t k = first; k < last; k++) widest = std::max(widest, column(trailing_[k]));
    for (size_t k = last; k-- > first;) out_.insert(trailing_[k].at, widest - column(trailing_[k]), ' ');
  }
}

}  // namespace raido::ast
