// run.h - entry points of a core program as the commands see them.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"

namespace raido {

const ir::EntryPoint* find_entry(const ir::Program& program, std::string_view name);
// Element type and rank of what the outside gives to the entry point (or function) of that name.
std::vector<std::pair<Scalar, size_t>> input_types(const ir::Program& program, std::string_view name);
// "i64 []f64"
std::string input_type_text(const ir::Program& program, std::string_view name);

}  // namespace raido
