// link.h - an object file as an image that the loader runs (image.h).
#pragma once
#include <string>
#include <string_view>

namespace raido::llvm {

// The loader with the program after it. What is wrong otherwise is in `error`: a kind of object file that this does not know.
std::string linked(std::string_view loader, std::string_view object, std::string& error);

}  // namespace raido::llvm
