-- invariants.fut - what does not depend on the iteration, and may fail: it runs if an iteration does.

-- A sum of elements at given places, in maps and loops of n iterations.
-- ==
-- entry: sums
-- input { 3i64 [1.0, 2.0, 4.0] [0i64, 2i64] } output { [15.0, 15.0, 125.0] }
-- input { 0i64 [1.0, 2.0, 4.0] [0i64, 2i64] } output { [0.0, 0.0, 1.0] }
-- input { 0i64 [1.0, 2.0, 4.0] [0i64, 3i64] } output { [0.0, 0.0, 1.0] }
-- input { -2i64 [1.0] [7i64] } output { [0.0, 0.0, 1.0] }
-- input { 1i64 [1.0, 2.0, 4.0] [0i64, 3i64] } error: Index \[3\] out of bounds for array of shape \[3\]
entry sums [m] [k] (n: i64) (xs: [m]f64) (js: [k]i64): [3]f64 =
  let n = i64.max 0 n
  let sum (_: i64) = f64.sum (map (\j -> xs[j]) js)
  in [f64.sum (map (\i -> sum i) (iota n)), f64.sum (map sum (iota n)), loop p = 1 for i < n do p * sum i]

-- The element's own check, and the sum's.
-- ==
-- entry: first
-- input { [5i64, 0i64] [3i64] } error: Index \[5\] out of bounds for array of shape \[4\]
-- input { [0i64, 1i64] [9i64] } error: Index \[9\] out of bounds for array of shape \[4\]
-- input { [0i64, 1i64] [3i64] } output { [3i64, 4i64] }
-- input { empty([0]i64) [9i64] } output { empty([0]i64) }
entry first [n] [k] (is: [n]i64) (js: [k]i64): [n]i64 =
  let xs = iota 4
  in map (\i -> let x = xs[i] in x + i64.sum (map (\j -> xs[j]) js)) is

-- The sum of a row at a place of the iteration around.
-- ==
-- entry: rows
-- input { [[1i64, 2i64], [3i64, 4i64]] [1i64, 0i64, 1i64] } output { [14i64, 6i64, 14i64] }
-- input { [[1i64, 2i64], [3i64, 4i64]] [1i64, 2i64] } error: Index \[2\] out of bounds for array of shape \[2\]
-- input { empty([0][2]i64) empty([0]i64) } output { empty([0]i64) }
-- input { empty([1][0]i64) [0i64, 3i64] } output { [0i64, 0i64] }
entry rows [n] [m] [k] (xss: [n][k]i64) (is: [m]i64): [m]i64 =
  map (\i -> i64.sum (map (\_ -> i64.sum xss[i]) (iota k))) is

-- A loop that may not end, around which a map has no elements.
-- ==
-- entry: endless
-- input { 0i64 1i64 } output { 0i64 }
-- input { 3i64 2i64 } output { 48i64 }
entry endless (n: i64) (by: i64): i64 =
  i64.sum (map (\_ -> loop x = 1 while x < 10 do x * by) (iota n))

-- Gradients of such sums.
-- ==
-- entry: gradients
-- input { 3i64 [1.0, 2.0, 4.0] [0i64, 2i64] } output { [33.0, 0.0, 33.0] true }
-- input { 0i64 [1.0, 2.0, 4.0] [0i64, 3i64] } output { [0.0, 0.0, 0.0] true }
entry gradients [m] [k] (n: i64) (xs: [m]f64) (js: [k]i64): ([m]f64, bool) =
  let f (xs: [m]f64) = f64.sum (map (\i -> let s = f64.sum (map (\j -> xs[j]) js) in s * s + f64.i64 i * s) (iota n))
  let g = vjp f xs 1
  in (g, f64.abs (f64.sum g - jvp f xs (map (const 1) xs)) < 1e-9)
