// A report as text: the line that test suites match on, the message, then the source lines it speaks of with markers.
//
// Labels on the same line get a row of markers each; the place of the report itself is marked with ^, others with -.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/base/text.h"
#include "compiler/source/diagnostics.h"

namespace raido {
namespace {

struct Mark { uint32_t from, to; char with; std::string text; };

// The part of `span` on its first line, in columns.
Mark mark_of(const Sources& sources, Span span, char with, std::string text) {
  Position from = sources.position(span.file, span.begin);
  Position to = sources.position(span.file, span.end > span.begin ? span.end - 1 : span.begin);
  uint32_t width = 1;
  for (char c : sources.line(span.file, from.line)) width += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  uint32_t end = to.line == from.line ? to.column : std::max(from.column, width - 1);
  return {from.column, end, with, std::move(text)};
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
      Position p = sources.position(span.file, span.begin);
      lines[{span.file.index, p.line}].push_back(mark_of(sources, span, with, label));
    };
    mark(report.span, '^', "");
    for (const Label& l : report.labels) mark(l.span, l.span.begin == report.span.begin && l.span.end == report.span.end ? '^' : '-', l.text);
    size_t width = 0;
    for (auto& [at, marks] : lines) width = std::max(width, std::to_string(at.second).size());
    for (auto& [at, marks] : lines) {
      FileId file{at.first};
      if (at.first != report.span.file.index) out += fmt::format("{} in {}:\n", indent, sources[file].name);
      out += fmt::format("{} {:>{}} | {}\n", indent, at.second, width, sources.line(file, at.second));
      // One row for the markers without text, then one for each text.
      std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.text.empty() > b.text.empty(); });
      for (size_t i = 0; i < marks.size(); i++) {
        bool repeated = marks[i].text.empty() && i + 1 < marks.size() && marks[i + 1].from == marks[i].from && marks[i + 1].to == marks[i].to;
        if (repeated) continue;
        std::string row(marks[i].from - 1, ' ');
        row += std::string(marks[i].to - marks[i].from + 1, marks[i].with);
        if (!marks[i].text.empty()) row += " " + marks[i].text;
        out += fmt::format("{} {:>{}} | {}\n", indent, "", width, row);
      }
    }
  }
  for (const std::string& note : report.notes) out += fmt::format("{}note: {}\n", indent, note);
  if (!report.help.empty()) out += fmt::format("{}help: {}\n", indent, report.help);
  return out;
}

}  // namespace raido
