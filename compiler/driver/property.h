// property.h - entry points with the attribute #[prop]: statements about all values of a type.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/driver/options.h"

namespace raido {

struct Property {
  std::string name;
  std::string generator, shrinker;    // empty: none
  int64_t size = -1;                  // -1: not said
};

// Those of a program text; only as far as it parses.
std::vector<Property> properties_in(const std::string& text);

// Exit codes of `raido run --property NAME`: 0 it holds, 1 it cannot be tested, 2 the program is wrong, 3 it does not hold.
// The report goes to standard output.
int test_property(const Options& options);

}  // namespace raido
