// chart.h - times as a picture.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "compiler/driver/results.h"

namespace raido {

// Takes each set of results with its name. The chart shows the data sets of the last one, on a scale where each step is ten times the one
// before. SVG, for light and dark pages.
std::string chart(const std::vector<std::pair<std::string, Results>>& all);

}  // namespace raido
