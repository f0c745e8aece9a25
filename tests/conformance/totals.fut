-- totals.fut - scans of which only the last element is read.

-- ==
-- entry: counts
-- input { [3i64, -1i64, 4i64, -5i64] } output { 2i64 false }
-- input { empty([0]i64) } output { 0i64 true }
-- input { [-3i64] } output { 0i64 true }
entry counts (xs: []i64): (i64, bool) = (length (filter (> 0) xs), null (filter (> 0) xs))

-- ==
-- entry: lasts
-- input { [3i64, -1i64, 4i64] } output { 6i64 3i64 [3i64, 2i64, 6i64] -12i64 }
-- input { [7i64] } output { 7i64 7i64 [7i64] 7i64 }
-- input { empty([0]i64) } error: Index \[-1\] out of bounds for array of shape \[0\]
entry lasts [n] (xs: [n]i64): (i64, i64, [n]i64, i64) =
  let sums = scan (+) 0 xs
  let firsts = map (.0) (scan (\(a, p) (b, q) -> (if p then a else b, p || q)) (0, false) (map (\x -> (x, true)) xs))
  in (last (scan (+) 0 xs), firsts[n - 1], sums, (scan (*) 1 xs)[n - 1])

-- In rows, of which some are empty.
-- ==
-- entry: rows
-- input { [[1.0, -2.0, 3.0], [-1.0, -1.0, -1.0]] } output { [2i64, 0i64] [2.0, -3.0] }
-- input { empty([2][0]f64) } output { [0i64, 0i64] [0.0, 0.0] }
entry rows [n] [m] (xss: [n][m]f64): ([n]i64, [n]f64) =
  (map (\xs -> length (filter (> 0) xs)) xss, map (\xs -> if m == 0 then 0 else (scan (+) 0 xs)[m - 1]) xss)

-- The gradient of a last sum.
-- ==
-- entry: gradient
-- input { [1.0, 2.0, 3.0] } output { [2.0, 4.0, 6.0] }
entry gradient [n] (xs: [n]f64): [n]f64 = vjp (\xs -> (scan (+) 0 (map (\x -> x * x) xs))[n - 1]) xs 1
