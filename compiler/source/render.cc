// A report as text: the line that test suites match on, the message, then the source lines it speaks of with markers.
//
// Labels on the same line get a row of markers each; the place of the report itself is marked with ^, others with -.
// Of a line that no terminal holds, as generated programs have them, the part around the markers is shown.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/base/text.h"
#include "compiler/source/diagnostics.h"

namespace raido {
namespace {

constexpr uint32_t most_columns = 200, before = 40;      // of a line; before its first mark, where it is cut

struct Mark { uint32_t from, to; char with; std::string text; };

// The part of `span` on its first line, in columns.
Mark mark_of(const Sources& sources, Span span, char with, std::string text) {
  Position from = sources.begin(span), to = sources.end(span);
  uint32_t width = sources.columns(span.file, sources.line(span.file, from.line));
  uint32_t last = to.line == from.line ? to.column - 1 : std::max(from.column, width);
  return {from.column, last, with, std::move(text)};
}

// The line with its markers below, in as many parts as it takes.
void show_line(const Sources& sources, FileId file, uint32_t line, std::vector<Mark>& marks, const std::string& indent, size_t width, std::string& out) {
  uint32_t columns = sources.columns(file, sources.line(file, line));
  bool cut = columns > most_columns;
  if (cut) std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.from < b.from; });
  for (auto from = marks.begin(), to = from; from != marks.end(); from = to) {
    uint32_t first = cut && from->from > before ? from->from - before : 1, last = cut ? std::min(columns, first + most_columns - 1) : columns;
    to = std::find_if(from + 1, marks.end(), [&](const Mark& m) { return cut && m.to > last; });
    std::string_view left = first > 1 ? "..." : "", right = last < columns ? "..." : "";
    out += fmt::format("{} {:>{}} | {}{}{}\n", indent, line, width, left, sources.columns(file, line, first, last), right);
    // One row for the markers without text, then one for each text.
    std::stable_sort(from, to, [](const Mark& a, const Mark& b) { return a.text.empty() > b.text.empty(); });
    for (auto m = from; m != to; ++m) {
      bool repeated = m->text.empty() && m + 1 != to && (m + 1)->from == m->from && (m + 1)->to == m->to;
      if (repeated) continue;
      std::string row(m->from - first + left.size(), ' ');
      row += std::string((cut ? std::max(m->from, std::min(m->to, last)) : m->to) - m->from + 1, m->with);
      if (!m->text.empty()) row += " " + m->text;
      out += fmt::format("{} {:>{}} | {}\n", indent, "", width, row);
    }
  }
}

}  // namespace

std::string render(const Sources& sources, const Report& report) {
  bool warning = report.severity != Severity::Error;
  std::string indent = warning ? "  " : "";
  std::string out;
  if (report.span.valid()) out += fmt::format("{} at {}:\n", warning ? "Warning" : "Error", sources.place(report.span));
  std::vector<std::string> text = split(report.text, '\n');
  text[0] += fmt::format(" [{}]", report.code);
  for (const std::string& line : text) out += indent + line + "\n";
  if (report.span.valid() && !sources[report.span.file].text.empty()) {
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Mark>> lines;
    auto mark = [&](Span span, char with, const std::string& label) {
      if (!span.valid() || sources[span.file].text.empty()) return;
      lines[{span.file.index, sources.begin(span).line}].push_back(mark_of(sources, span, with, label));
    };
    mark(report.span, '^', "");
    for (const Label& l : report.labels) mark(l.span, l.span.begin == report.span.begin && l.span.end == report.span.end ? '^' : '-', l.text);
    size_t width = 0;
    for (auto& [at, marks] : lines) width = std::max(width, std::to_string(at.second).size());
    for (auto& [at, marks] : lines) {
      FileId file{at.first};
      if (at.first != report.span.file.index) out += fmt::format("{} in {}:\n", indent, sources[file].name);
      show_line(sources, file, at.second, marks, indent, width, out);
    }
  }
  for (const std::string& note : report.notes) out += fmt::format("{}note: {}\n", indent, note);
  if (!report.help.empty()) out += fmt::format("{}help: {}\n", indent, report.help);
  return out;
}

}  // namespace raido
