// format.cc - a whole file in canonical layout, and the proof that only white space changed.
#include "compiler/syntax/format.h"

#include "compiler/base/panic.h"
#include "compiler/syntax/formatter.h"

namespace raido::ast {

std::string Formatter::run() {
  std::vector<Doc> all;
  gapped_.resize(tokens_.size());
  padding_.resize(tokens_.size());
  if (!trivia_[0].comments.empty() && !is(Tok::Eof)) all.push_back(gap(Gap::HardBlank));
  // About the file, not about its first declaration.
  if (is(Tok::Doc) && (kind(1) == Tok::Doc || kind(1) == Tok::Eof || trivia_[pos_ + 1].blank)) {
    all.push_back(tok());
    if (!is(Tok::Eof)) all.push_back(gap(Gap::Separate));
  }
  std::vector<Doc> body = decls(Tok::Eof, Gap::HardBlank);
  all.insert(all.end(), body.begin(), body.end());
  CHECK(is(Tok::Eof), "the layout of `{}` is not understood", word());
  render(concat(std::move(all)));
  end_of_file();
  align_comments();
  return std::move(out_);
}

std::string format(const Sources& sources, FileId file, const Tokens& tokens) { return Formatter(sources, file, tokens).run(); }

std::string expression_on_one_line(std::string_view text) {
  Sources sources;
  Program program;
  Diagnostics diags;
  constexpr std::string_view before = "def x =";
  std::string line(before);
  FileId file = sources.add("", std::string(text));
  uint32_t end = 0;
  for (const Token& t : lex(program, sources, file, diags).items) {
    if (t.kind == Tok::Eof) break;
    if (t.span.begin > end || end == 0) line += ' ';
    line += sources.text(t.span);
    end = t.span.end;
  }
  file = sources.add("", std::move(line));
  std::string out;
  for (char c : format(sources, file, lex(program, sources, file, diags)).substr(before.size())) {
    bool blank = c == ' ' || c == '\n';
    if (!blank) out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

std::string token_difference(const Sources& sources, const Tokens& a, const Tokens& b) {
  // White space at the ends of the lines of a comment is not part of it.
  auto plain = [](std::string_view text) {
    std::string out;
    for (size_t i = 0; i <= text.size();) {
      size_t end = std::min(text.find('\n', i), text.size());
      std::string_view line = text.substr(i, end - i);
      size_t from = line.find_first_not_of(" \t\r\f\v"), to = line.find_last_not_of(" \t\r\f\v");
      if (from != std::string_view::npos) out += line.substr(from, to - from + 1);
      out += '\n';
      i = end + 1;
    }
    return out;
  };
  auto kind_of = [](const Tokens& t, size_t i) {    // after `with` both brackets mean the same
    return t.items[i].kind == Tok::IndexBracket && i > 0 && t.items[i - 1].kind == Tok::With ? Tok::LBracket : t.items[i].kind;
  };
  auto compare = [&](Span x, Span y, bool same_kind) -> std::string {
    if (same_kind && plain(sources.text(x)) == plain(sources.text(y))) return "";
    return sources.place(x) + ": `" + std::string(sources.text(x)) + "` became `" + std::string(sources.text(y)) + "`";
  };
  for (size_t i = 0; i < a.items.size() && i < b.items.size(); i++)
    if (std::string d = compare(a.items[i].span, b.items[i].span, kind_of(a, i) == kind_of(b, i)); !d.empty()) return d;
  for (size_t i = 0; i < a.comments.size() && i < b.comments.size(); i++)
    if (std::string d = compare(a.comments[i].span, b.comments[i].span, true); !d.empty()) return d;
  if (a.items.size() != b.items.size()) return "tokens are missing";
  return a.comments.size() == b.comments.size() ? "" : "comments are missing";
}

}  // namespace raido::ast
