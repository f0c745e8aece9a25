// c_names.h - names of the source as names in C.
#pragma once
#include <string>

namespace raido {

// The name itself, where C allows it.
std::string c_identifier(const std::string& name);
// Letters that stand for others are always written out.
std::string encoded(const std::string& name);

}  // namespace raido
