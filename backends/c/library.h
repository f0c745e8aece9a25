// library.h - a program as a C library: its header, the functions of the header, and the manifest that describes them to other programs.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "backends/interface.h"

namespace raido {

struct LibraryParts {
  const Interface& interface;
  std::string_view backend;
  bool spread_results;                       // OutputOptions::spread_results
  std::vector<std::string> params;           // limits of the compiler's choices that the user may set
};

std::string library_banner();
std::string repeated_function(const LibraryParts& library);     // a name that two functions would have; empty if there is none
std::string library_header(const LibraryParts& library);
std::string library_functions(const LibraryParts& library);     // after the rest of the program
std::string library_manifest(const LibraryParts& library);

}  // namespace raido
