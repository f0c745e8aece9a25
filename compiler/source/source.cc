// Files, and byte offsets to lines and columns by binary search in the table of line starts.
#include "compiler/source/source.h"

#include <fmt/format.h>

#include <algorithm>

namespace raido {

FileId Sources::add(std::string name, std::string text, bool builtin) {
  SourceFile file{std::move(name), std::move(text), {0}, builtin};
  file.ascii = std::all_of(file.text.begin(), file.text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  for (size_t i = 0; (i = file.text.find('\n', i)) != std::string::npos;) file.line_starts.push_back(uint32_t(++i));
  files_.push_back(std::move(file));
  return {uint32_t(files_.size() - 1)};
}

std::string_view Sources::text(Span span) const {
  if (!span.valid()) return {};
  return std::string_view(files_[span.file.index].text).substr(span.begin, span.end - span.begin);
}

Position Sources::position(FileId file, uint32_t offset) const {
  const SourceFile& f = files_[file.index];
  auto after = std::upper_bound(f.line_starts.begin(), f.line_starts.end(), offset);
  uint32_t line = uint32_t(after - f.line_starts.begin());
  uint32_t start = f.line_starts[line - 1];
  return {line, 1 + columns(file, std::string_view(f.text).substr(start, offset - start))};
}

Position Sources::end(Span span) const {
  if (span.end > span.begin) return position(span.file, span.end);
  Position at = begin(span);
  return {at.line, at.column + 1};
}

uint32_t Sources::columns(FileId file, std::string_view part) const {
  if (files_[file.index].ascii) return uint32_t(part.size());
  return uint32_t(std::count_if(part.begin(), part.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string_view Sources::columns(FileId file, uint32_t number, uint32_t from, uint32_t to) const {
  std::string_view text = line(file, number);
  auto byte_of = [&](uint32_t column) {                // where the column begins
    if (files_[file.index].ascii) return std::min<size_t>(column - 1, text.size());
    size_t at = 0;
    for (uint32_t c = 1; at < text.size() && c < column; c++)
      for (at++; at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;) at++;
    return at;
  };
  size_t begin = byte_of(from);
  return text.substr(begin, byte_of(to + 1) - begin);
}

Span Sources::span(std::string_view file, Position from, Position to) const {
  for (size_t i = 0; i < files_.size(); i++) {
    if (files_[i].name != file) continue;
    FileId id{uint32_t(i)};
    auto offset = [&](Position p) {
      if (p.line == 0 || p.line > files_[i].line_starts.size()) return uint32_t(files_[i].text.size());
      return files_[i].line_starts[p.line - 1] + uint32_t(columns(id, p.line, 1, p.column - 1).size());
    };
    return {id, offset(from), offset(to)};
  }
  return {};
}

std::string_view Sources::line(FileId file, uint32_t line) const {
  const SourceFile& f = files_[file.index];
  if (line == 0 || line > f.line_starts.size()) return {};
  size_t begin = f.line_starts[line - 1];
  size_t end = line < f.line_starts.size() ? f.line_starts[line] - 1 : f.text.size();
  if (end > begin && f.text[end - 1] == '\r') end--;
  return std::string_view(f.text).substr(begin, end - begin);
}

std::string Sources::range(Span span) const {
  Position from = begin(span), to = end(span);
  if (from.line == to.line) return fmt::format("{}:{}-{}", from.line, from.column, to.column);
  return fmt::format("{}:{}-{}:{}", from.line, from.column, to.line, to.column);
}

std::string Sources::place(Span span) const {
  if (!span.valid()) return "unknown place";
  return files_[span.file.index].name + ":" + range(span);
}

}  // namespace raido
