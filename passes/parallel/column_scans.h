// column_scans.h - a map of scans over columns becomes a scan over rows.
//
//   map m (\column -> scan (+) 0 column) (transpose a)   ==>   transpose (scan (map2 (+)) (replicate m 0) a)
//
// The elements of a column lie a row apart, those of a row side by side: memory is read in order, and by the vector. The scan may work
// on what a map makes of the columns, and may be read through slices, as backwards in the return sweep.
#pragma once
#include "compiler/ir/build.h"

namespace raido {

// `views`: what makes an array, if that is a view.
bool is_scan_of_columns(const ir::Program& p, const ir::Screma& map, const ir::VarMap<const ir::Exp*>& views);
// The results of the map, transposed.
std::vector<ir::Var> scan_of_rows(ir::Builder& b, const ir::Screma& map);

}  // namespace raido
