// markdown.cc - blocks line by line, the text in them character by character. HTML in the text is text.
#include "compiler/driver/markdown.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "compiler/base/text.h"
#include "compiler/driver/plot.h"

namespace raido {
namespace {

using Lines = std::vector<std::string>;

size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }
bool blank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }
std::string_view stripped(std::string_view s) {
  size_t from = std::min(s.find_first_not_of(" \t\r"), s.size()), to = s.find_last_not_of(" \t\r");
  return from == s.size() ? "" : s.substr(from, to - from + 1);
}

// The number of characters before the text of a list item: of its blanks and its mark; 0 if the line is none.
size_t item_mark(std::string_view line, bool& numbered) {
  size_t at = indent_of(line), from = at;
  if (at >= line.size()) return 0;
  numbered = std::isdigit(static_cast<unsigned char>(line[at]));
  if (numbered) {
    while (at < line.size() && std::isdigit(static_cast<unsigned char>(line[at]))) at++;
    if (at - from > 9 || at >= line.size() || (line[at] != '.' && line[at] != ')')) return 0;
  } else if (line[at] != '*' && line[at] != '-' && line[at] != '+') return 0;
  at++;
  return at < line.size() && line[at] == ' ' ? at + 1 : 0;
}
int heading_level(std::string_view line) {
  int n = int(std::min(line.find_first_not_of('#'), line.size()));
  return n >= 1 && n <= 6 && line.size() > size_t(n) && line[size_t(n)] == ' ' ? n : 0;
}
bool fence(std::string_view line) { return stripped(line).starts_with("```"); }
bool rule(std::string_view line) {
  std::string_view s = stripped(line);
  return s.size() >= 3 && s.find_first_not_of('-') == s.npos;
}
bool table_rule(std::string_view line) { return line.find('|') != line.npos && line.find("--") != line.npos && line.find_first_not_of("|-: ") == line.npos; }

class Writer {
 public:
  Writer(int top, const CodeSpan& code_span) : top_(top), code_span_(code_span) {}

  std::string blocks(const Lines& lines, int depth) const {
    std::string out;
    for (size_t i = 0; i < lines.size();) {
      const std::string& line = lines[i];
      bool numbered = false;
      if (blank(line)) i++;
      else if (fence(line)) out += fenced(lines, i);
      else if (indent_of(line) >= 4) out += indented(lines, i);
      else if (int level = heading_level(line)) {
        int h = std::min(6, level + top_ - 1);
        out += fmt::format("<h{0}>{1}</h{0}>\n", h, inline_text(stripped(line.substr(size_t(level)))));
        i++;
      } else if (rule(line)) out += "<hr>\n", i++;
      else if (line.starts_with(">") && depth < 20) out += quotation(lines, i, depth);
      else if (item_mark(line, numbered) && depth < 20) out += list(lines, i, depth);
      else if (i + 1 < lines.size() && line.find('|') != line.npos && table_rule(lines[i + 1])) out += table(lines, i);
      else out += paragraph(lines, i);
    }
    return out;
  }

 private:
  int top_;
  const CodeSpan& code_span_;

  std::string fenced(const Lines& lines, size_t& i) const {
    size_t indent = indent_of(lines[i++]);
    std::string code;
    for (; i < lines.size() && !fence(lines[i]); i++) code += lines[i].substr(std::min(indent, indent_of(lines[i]))) + "\n";
    i++;
    return fmt::format("<pre><code>{}</code></pre>\n", escape_html(code));
  }
  std::string indented(const Lines& lines, size_t& i) const {
    std::string code;
    size_t end = i;
    for (size_t k = i; k < lines.size() && (blank(lines[k]) || indent_of(lines[k]) >= 4); k++) if (!blank(lines[k])) end = k + 1;
    for (; i < end; i++) code += lines[i].substr(std::min<size_t>(4, lines[i].size())) + "\n";
    return fmt::format("<pre><code>{}</code></pre>\n", escape_html(code));
  }
  std::string quotation(const Lines& lines, size_t& i, int depth) const {
    Lines inner;
    for (; i < lines.size() && lines[i].starts_with(">"); i++) inner.emplace_back(lines[i].substr(lines[i].starts_with("> ") ? 2 : 1));
    return "<blockquote>\n" + blocks(inner, depth + 1) + "</blockquote>\n";
  }
  std::string list(const Lines& lines, size_t& i, int depth) const {
    bool numbered = false;
    item_mark(lines[i], numbered);
    std::string out = numbered ? "<ol>\n" : "<ul>\n";
    bool other = numbered;
    for (size_t mark; i < lines.size() && (mark = item_mark(lines[i], other)) > 0 && other == numbered && indent_of(lines[i]) < 4;) {
      Lines inner = {lines[i++].substr(mark)};
      bool after_blank = false;
      for (; i < lines.size(); i++) {
        bool kind = false, belongs = indent_of(lines[i]) >= mark;
        if (!blank(lines[i]) && !belongs && (after_blank || item_mark(lines[i], kind) || fence(lines[i]) || heading_level(lines[i]))) break;
        after_blank = blank(lines[i]);
        inner.push_back(lines[i].substr(std::min(mark, indent_of(lines[i]))));
      }
      while (!inner.empty() && blank(inner.back())) inner.pop_back();
      std::string body = blocks(inner, depth + 1);
      size_t end = body.find("</p>\n");                 // a single paragraph needs no tag
      if (body.starts_with("<p>") && body.find("<p>", 3) == body.npos) body = body.substr(3, end - 3) + body.substr(end + 4);
      while (body.ends_with('\n')) body.pop_back();
      out += "<li>" + body + "</li>\n";
    }
    return out + (numbered ? "</ol>\n" : "</ul>\n");
  }
  std::string row(std::string_view line, const char* tag) const {
    std::string_view s = stripped(line);
    if (s.starts_with("|")) s.remove_prefix(1);
    if (s.ends_with("|")) s.remove_suffix(1);
    std::string out = "<tr>";
    bool code = false;
    for (size_t from = 0, at = 0; at <= s.size(); at++) {
      if (at < s.size() && s[at] == '`') code = !code;
      if (at < s.size() && (s[at] != '|' || code || (at > 0 && s[at - 1] == '\\'))) continue;
      out += fmt::format("<{0}>{1}</{0}>", tag, inline_text(stripped(s.substr(from, at - from))));
      from = at + 1;
    }
    return out + "</tr>\n";
  }
  std::string table(const Lines& lines, size_t& i) const {
    std::string out = "<table>\n" + row(lines[i], "th");
    for (i += 2; i < lines.size() && lines[i].find('|') != std::string::npos; i++) out += row(lines[i], "td");
    return out + "</table>\n";
  }
  std::string paragraph(const Lines& lines, size_t& i) const {
    std::string text;
    bool numbered = false;
    for (size_t first = i; i < lines.size() && !blank(lines[i]); i++) {
      if (i > first && (fence(lines[i]) || heading_level(lines[i]) || lines[i].starts_with(">") || (item_mark(lines[i], numbered) && indent_of(lines[i]) < 4))) break;
      text += (text.empty() ? "" : "\n") + std::string(stripped(lines[i]));
    }
    return fmt::format("<p>{}</p>\n", inline_text(text));
  }

  std::string inline_text(std::string_view s) const {
    std::string out;
    for (size_t i = 0; i < s.size();) {
      char c = s[i];
      if (c == '\\' && i + 1 < s.size() && std::ispunct(static_cast<unsigned char>(s[i + 1]))) {
        out += escape_html(s.substr(i + 1, 1));
        i += 2;
      } else if (c == '`') {
        size_t ticks = s.find_first_not_of('`', i) == s.npos ? s.size() - i : s.find_first_not_of('`', i) - i;
        std::string mark(ticks, '`');
        size_t end = s.find(mark, i + ticks);
        if (end == s.npos) {
          out += escape_html(mark);
          i += ticks;
          continue;
        }
        size_t taken = 0;
        out += code_span_(stripped(s.substr(i + ticks, end - i - ticks)), s.substr(end + ticks), taken);
        i = end + ticks + taken;
      } else if (c == '[') {
        size_t close = s.find("](", i), end = close == s.npos ? s.npos : s.find(')', close);
        if (end == s.npos || s.substr(i, close - i).find('\n') != s.npos) {
          out += c;
          i++;
          continue;
        }
        out += link(s.substr(close + 2, end - close - 2), inline_text(s.substr(i + 1, close - i - 1)));
        i = end + 1;
      } else if (c == '<' && s.substr(i + 1).starts_with("http") && s.find('>', i) != s.npos) {
        std::string_view target = s.substr(i + 1, s.find('>', i) - i - 1);
        out += link(target, escape_html(target));
        i += target.size() + 2;
      } else if ((c == '*' || c == '_') && emphasis(s, i, out)) {
      } else {
        out += escape_html(s.substr(i, 1));
        i++;
      }
    }
    return out;
  }
  // A link that leads to a page; of anything else (`javascript:`) only the text.
  static std::string link(std::string_view target, const std::string& text) {
    size_t colon = target.find(':');
    bool page = colon == target.npos || target.starts_with("http:") || target.starts_with("https:") || target.starts_with("mailto:") || target.find('/') < colon;
    return page ? fmt::format("<a href=\"{}\">{}</a>", escape_html(target), text) : text;
  }
  // `*a*` or `**a**`; underscores only around words.
  bool emphasis(std::string_view s, size_t& i, std::string& out) const {
    auto word = [&](size_t at) { return at < s.size() && std::isalnum(static_cast<unsigned char>(s[at])); };
    size_t n = i + 1 < s.size() && s[i + 1] == s[i] ? 2 : 1;
    std::string mark(n, s[i]);
    if (i + n >= s.size() || std::isspace(static_cast<unsigned char>(s[i + n])) || (s[i] == '_' && i > 0 && word(i - 1))) return false;
    for (size_t end = s.find(mark, i + n + 1); end != s.npos; end = s.find(mark, end + 1)) {
      if (std::isspace(static_cast<unsigned char>(s[end - 1])) || (s[i] == '_' && word(end + n))) continue;
      const char* tag = n == 2 ? "strong" : "em";
      out += fmt::format("<{0}>{1}</{0}>", tag, inline_text(s.substr(i + n, end - i - n)));
      i = end + n;
      return true;
    }
    return false;
  }
};

}  // namespace

std::string markdown_html(std::string_view text, int top, const CodeSpan& code_span) {
  return Writer(top, code_span).blocks(split(text, '\n'), 0);
}

}  // namespace raido
