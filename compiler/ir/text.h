// text.h - the text form of a program. print and parse are the two directions of the same field lists: a new operation
// prints and parses without a line of code; only the parts whose text is nicer than their fields have their own.
//
//   print(parse(s)) == s for printed s;  parse(print(p)) is p up to the numbering of variables.
//
// docs/text-form.md has the grammar.
#pragma once
#include <string>
#include <string_view>

#include "compiler/ir/ir.h"

namespace raido::ir {

struct PrintOptions { bool sources = false; };   // a comment with the source place after each statement

std::string print(const Program& p, PrintOptions options = {});
std::string print(const Program& p, const Stm& s);
std::string print(const Program& p, const Type& t);

struct Parsed {
  Program program;
  std::string error;                              // "line 3: unknown operation `foo`"; empty if it parsed
};
Parsed parse(std::string_view text);

// The words of an enumeration, in order of its enumerators: printer and parser share them.
template <class E> struct EnumWords;
template <> struct EnumWords<Conflict> { static constexpr std::string_view words[] = {"unknown", "none", "private", "owner", "atomic"}; };
template <> struct EnumWords<SegLevel> { static constexpr std::string_view words[] = {"grid", "block", "warp", "lane", "task", "simd", "tile"}; };
template <> struct EnumWords<Space> { static constexpr std::string_view words[] = {"host", "device", "shared", "private"}; };

// The operator of a Combine whose lambda is exactly `\a b -> a op b`, for the short text.
std::optional<ScalarOp> plain_operator(const Program& p, const Combine& c);
// True if a screma has the short texts `reduce` or `scan`.
bool is_plain_reduce(const Program& p, const Screma& s);
bool is_plain_scan(const Program& p, const Screma& s);

}  // namespace raido::ir
