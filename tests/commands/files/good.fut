-- Everything here holds.
-- ==
-- tags { mine }
-- entry: sums
-- random input { [10]i32 3i32 } auto output
-- input { [1, 2] 3i32 } output { 6i32 }
-- input @numbers.in output { 6i32 }
-- "packed" input @numbers.in.gz output @numbers.out
-- script input { ([1, 2], 3) } output { 6i32 }
-- structure { Screma 17 reduce 2 }
-- warning: [Uu]nused
entry sums (xs: []i32) (x: i32) = let unused = x in i32.sum xs + x

entry make (n: i64): (i64, {xs: []i64}) = (n, {xs = iota n})

-- ==
-- entry: use
-- script input { let (n, r) = make 4 in (r, n) } output { 10i64 }
-- script input { ({xs = [1i64, 2i64]}, 3) } output { 6i64 }
entry use (r: {xs: []i64}) (n: i64) = i64.sum r.xs + n

-- ==
-- entry: half single
-- input { 4i64 } output { 2i64 }
-- input { 6i64 } output { 3i64 }
entry half (x: i64) = x / 2
entry single (x: i64) = x >> 1
