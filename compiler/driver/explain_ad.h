// explain_ad.h - `dev --explain-ad`: what differentiation made of an entry point, by lines of its source.
#pragma once
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "passes/pass.h"

namespace raido {

// From the program as it is now and the notes that variables in it carry.
std::string explain_ad(const ir::Program& program, const std::string& entry, const std::vector<Note>& notes);

}  // namespace raido
