-- While loops whose states are chosen by one condition: on processors by a branch, where they read in rows.

-- A binary search, in rows of a matrix and in one array.
def search [n] (grid: [n]f64) (x: f64): i64 =
  (loop (low, high) = (0, n) while high - low > 1 do
     let middle = low + (high - low) / 2
     in if grid[middle] > x then (low, middle) else (middle, high)).0

-- ==
-- entry: row
-- input { [1f64, 2f64, 4f64, 8f64, 16f64] [0.5, 1.0, 3.0, 7.9, 8.0, 100.0] } output { [0i64, 0i64, 1i64, 2i64, 3i64, 4i64] }
entry row [n] [m] (grid: [n]f64) (xs: [m]f64): [m]i64 = map (search grid) xs

-- ==
-- entry: rows
-- input { [[1f64, 2f64, 4f64, 8f64], [0f64, 1f64, 2f64, 3f64]] [1i64, 0i64, 1i64, 0i64] [2.5, 2.5, -1.0, 100.0] } output { [2i64, 1i64, 0i64, 3i64] }
entry rows [n] [r] [m] (grids: [r][n]f64) (which: [m]i64) (xs: [m]f64): [m]i64 = map2 (\w x -> search grids[w] x) which xs

-- The states change places, and the condition is a state, too.
-- ==
-- entry: exchange
-- input { 3i64 10i64 7i64 [[0i64, 1i64], [13i64, 2i64]] } output { 3i64 10i64 52i64 }
-- input { 3i64 10i64 4i64 [[0i64, 1i64], [13i64, 2i64]] } output { 10i64 3i64 26i64 }
-- input { 3i64 10i64 0i64 [[0i64, 1i64], [13i64, 2i64]] } output { 3i64 10i64 0i64 }
entry exchange (a: i64) (b: i64) (steps: i64) (table: [2][2]i64): (i64, i64, i64) =
  let (_, _, a, b, sum) =
    loop (k, swap, a, b, sum) = (0, false, a, b, 0) while k < steps && sum < 1000 do
      let (x, y) = if swap then (b, a) else (a, b)
      in (k + 1, (k % 3) == 0, x, y, sum + table[1 - k % 2, 0])
  in (a, b, sum)

-- A state that is chosen is read again in the iteration, and one of them stays as it is on one side.
-- ==
-- entry: narrowed
-- input { 1000i64 [[1i64, 2i64], [3i64, 4i64]] } output { 31i64 32i64 961i64 }
-- input { 1024i64 [[1i64, 2i64], [3i64, 4i64]] } output { 32i64 33i64 1024i64 }
entry narrowed (n: i64) (ones: [2][2]i64): (i64, i64, i64) =
  loop (low, high, square) = (0, n, 0) while high - low > 1 do
    let middle = (low + high) / 2
    let (l, h) = if middle * middle <= n then (middle, high) else (low, middle)
    in (l, h, l * l * ones[l % 1, 0])
