// source.h - the texts of a compilation and places in them.
//
// A span is a pair of byte offsets into one file; lines and columns are computed only when something is printed.
#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/id.h"

namespace raido {

using FileId = Id<struct FileTag>;

struct Span {
  FileId file;
  uint32_t begin = 0, end = 0;      // end is one past the last byte
  bool valid() const { return file.valid(); }
};

// From the first byte of `a` to the last of `b`.
inline Span join(Span a, Span b) { return !a.valid() ? b : !b.valid() ? a : Span{a.file, a.begin, b.end}; }

struct Position { uint32_t line = 0, column = 0; };   // both from 1; columns count characters, not bytes

struct SourceFile {
  std::string name;                 // as shown to the user
  std::string text;
  std::vector<uint32_t> line_starts;
  bool builtin = false;             // part of the prelude
  bool ascii = false;               // every byte is a character, so columns need no counting
};

class Sources {
 public:
  FileId add(std::string name, std::string text, bool builtin = false);
  const SourceFile& operator[](FileId file) const { return files_[file.index]; }
  std::string_view text(Span span) const;
  Position position(FileId file, uint32_t offset) const;
  Position begin(Span span) const { return position(span.file, span.begin); }
  Position end(Span span) const;       // of the column after its last character; an empty span counts as one character
  // The span whose `begin` and `end` these are; not valid if there is no such file.
  Span span(std::string_view file, Position from, Position to) const;
  std::string_view line(FileId file, uint32_t line) const;      // without its newline
  uint32_t columns(FileId file, std::string_view part) const;   // characters of a part of the file
  std::string_view columns(FileId file, uint32_t line, uint32_t from, uint32_t to) const;     // of a line; both inclusive
  // `3:5-10`, or `3:5-4:3` when the span ends on a later line: from `begin` to `end`.
  std::string range(Span span) const;
  // FILE:RANGE
  std::string place(Span span) const;

 private:
  std::deque<SourceFile> files_;
};

}  // namespace raido
