type~ opt = #none | #some [](i64, bool)
type~ row = {name: []u8, cells: [](i64, bool), last: opt}
entry row (n: i64): row = let cells = tabulate n (\i -> (i, i % 2 == 0)) in {name = "row", cells, last = #some cells}
entry length_of (r: row): i64 = length r.cells + (match r.last case #none -> 0 case #some cells -> length cells)
entry last (r: row): opt = r.last
entry nothing: () = ()
