// names.h - every name that a checked program writes: what it stands for, and where that is defined.
#pragma once
#include <functional>
#include <string>

#include "compiler/check/load.h"

namespace raido {

struct NameUse {
  enum class Kind { Value, Module, Type, ModType, Field } kind = Kind::Value;
  std::string name;            // the whole path: `m.n.x`
  Span at;                     // of the name itself
  Span whole;                  // of its path
  ast::TypeRef type;           // of a value or field, if it was found
  Span definition;             // all of it; not valid: built in, or not found. The same for all uses of one thing
  const check::ModuleInfo* module = nullptr;
  bool prefix = false;         // a part of a path that is not its last
  bool defines = false;        // here it is bound
  bool stands_for_field = false;     // `{x}` for `{x = x}`: also the name of a field
};

// Those of one file; program errors leave gaps.
void each_name(const check::Checked& checked, const ast::File& file, const std::function<void(const NameUse&)>& f);

// The byte of the file at a line and column, both from 1, columns in characters; none if there is no such place.
std::optional<uint32_t> byte_at(const SourceFile& file, uint32_t line, uint32_t column);

}  // namespace raido
