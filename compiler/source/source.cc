// Files, and byte offsets to lines and columns by binary search in the table of line starts.
#include "compiler/source/source.h"

#include <fmt/format.h>

#include <algorithm>

namespace raido {

FileId Sources::add(std::string name, std::string text, bool builtin) {
  SourceFile file{std::move(name), std::move(text), {0}, builtin};
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
  uint32_t column = 1;
  for (uint32_t i = f.line_starts[line - 1]; i < offset && i < f.text.size(); i++)
    if ((static_cast<unsigned char>(f.text[i]) & 0xC0) != 0x80) column++;
  return {line, column};
}

Span Sources::span(std::string_view file, Position from, Position to) const {
  for (size_t i = 0; i < files_.size(); i++) {
    if (files_[i].name != file) continue;
    FileId id{uint32_t(i)};
    auto offset = [&](Position p) {
      std::string_view text = line(id, p.line);
      if (p.line == 0 || p.line > files_[i].line_starts.size()) return uint32_t(files_[i].text.size());
      uint32_t at = 0;
      for (uint32_t column = 1; at < text.size() && column < p.column; column++)
        for (at++; at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;) at++;
      return files_[i].line_starts[p.line - 1] + at;
    };
    return {id, offset(from), offset(to) + 1};
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
  Position from = position(span.file, span.begin);
  Position to = position(span.file, span.end > span.begin ? span.end - 1 : span.begin);
  if (from.line == to.line) return fmt::format("{}:{}-{}", from.line, from.column, to.column);
  return fmt::format("{}:{}-{}:{}", from.line, from.column, to.line, to.column);
}

std::string Sources::place(Span span) const {
  if (!span.valid()) return "unknown place";
  return files_[span.file.index].name + ":" + range(span);
}

}  // namespace raido
