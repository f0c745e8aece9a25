// attributes.h - the table of attributes.def.
#pragma once
#include <string_view>

namespace raido {

struct Hint {
  std::string_view name, arguments;
  bool in_core;
  std::string_view meaning;
};
inline constexpr Hint all_hints[] = {
#define ATTRIBUTE(name, arguments, in_core, meaning) {#name, arguments, in_core, meaning},
#include "compiler/base/attributes.def"
#undef ATTRIBUTE
};
constexpr const Hint* find_hint(std::string_view name) {
  for (const Hint& h : all_hints)
    if (h.name == name) return &h;
  return nullptr;
}

}  // namespace raido
