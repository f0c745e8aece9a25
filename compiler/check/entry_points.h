// entry_points.h - what the outside world sees of the root file.
#pragma once
#include "compiler/check/context.h"

namespace raido::check {

std::vector<EntryPoint> entry_points(Context& c, const ast::File& root, const Options& options);

}  // namespace raido::check
