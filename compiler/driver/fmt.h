// fmt.h - a program in canonical layout.
#pragma once
#include <optional>
#include <string>

#include "compiler/check/load.h"

namespace raido {

// The text in canonical layout; none, and reports in `unit`, if it has syntax errors.
std::optional<std::string> in_layout(check::Checked& unit, const std::string& name, std::string text);

}  // namespace raido
