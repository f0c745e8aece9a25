// compare.h - are two values the same, up to a tolerance for floats: for tests and datacmp.
#pragma once
#include <string>
#include <vector>

#include "compiler/ir/value.h"

namespace raido {

// What differs, one line each, at most `limit` of them ("Value #0 index [3,1]: expected 2.0, got 5.0"). A float may be off by
// the tolerance, times the greatest finite number of the expected value if that is above 1. (Below the usual 0.002, which is
// shared with other compilers' tests, the greatest magnitude counts.)
std::vector<std::string> differences(const std::vector<ir::Value>& got, const std::vector<ir::Value>& expected, double tolerance,
                                     size_t limit);

}  // namespace raido
