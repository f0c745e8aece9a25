-- Indices of any value that a condition keeps inside of an array: where it holds they need no check, elsewhere they do.

-- ==
-- entry: outside
-- input { [1, 2, 3] [0i64, 2i64, 3i64, -1i64, 9223372036854775807i64, -9223372036854775808i64] }
-- output { [1, 3, -1, -1, -1, -1] }
-- input { empty([0]i32) [0i64, 1i64, -1i64] } output { [-1, -1, -1] }
entry outside [n] [k] (xs: [n]i32) (qs: [k]i64): [k]i32 = map (\q -> if q < 0 || q >= n then -1 else xs[q]) qs

-- A sum with an index fits only where the condition has bounded it: 2^63 - 1 plus 1 is below every n.
-- ==
-- entry: two_bounded
-- input { [1, 2, 3] [0i64, 1i64, 2i64, -1i64] } output { [3, 5, 0, 0] }
-- input { [1, 2, 3] [9223372036854775807i64] } output { [0] }
entry two_bounded [n] [k] (xs: [n]i32) (qs: [k]i64): [k]i32 = map (\q -> if q >= 0 && q < n - 1 then xs[q] + xs[q + 1] else 0) qs

-- ==
-- entry: two_wrapped
-- input { [1, 2, 3] [0i64, 1i64, 2i64, -1i64] } output { [3, 5, 0, 0] }
-- input { [1, 2, 3] [9223372036854775807i64] } error: out of bounds
entry two_wrapped [n] [k] (xs: [n]i32) (qs: [k]i64): [k]i32 = map (\q -> if q >= 0 && q + 1 < n then xs[q] + xs[q + 1] else 0) qs

-- One side is not enough.
-- ==
-- entry: below
-- input { [1, 2, 3] [0i64, 2i64, 3i64] } output { [1, 3, 0] }
-- input { [1, 2, 3] [-1i64] } error: out of bounds
entry below [n] [k] (xs: [n]i32) (qs: [k]i64): [k]i32 = map (\q -> if q < n then xs[q] else 0) qs

-- ==
-- entry: above
-- input { [1, 2, 3] [0i64, 2i64, -3i64] } output { [1, 3, 0] }
-- input { [1, 2, 3] [3i64] } error: out of bounds
entry above [n] [k] (xs: [n]i32) (qs: [k]i64): [k]i32 = map (\q -> if 0 <= q then xs[q] else 0) qs

-- Each side in a branch of its own, and a bound that is itself bounded.
-- ==
-- entry: in_turn
-- input { [1, 2, 3] 2i64 [-5i64, 0i64, 1i64, 2i64, 3i64, 4i64] } output { [1, 1, 3, 0, 6, 6] }
-- input { [1, 2, 3] 9i64 [3i64] } output { [6] }
entry in_turn [n] [k] (xs: [n]i32) (last: i64) (qs: [k]i64): [k]i32 =
  map (\q -> if q <= 0 then xs[0] else if q >= n then xs[n - 1] * 2 else if last <= n && q < last then xs[q - 1] + xs[q] else 0) qs

-- Narrow numbers, whose sums may wrap around.
-- ==
-- entry: narrow
-- input { [1, 2, 3] [0i8, 2i8, 3i8, -1i8, 127i8, -128i8] } output { [3, 0, 0, 0, 0, 0] }
entry narrow [n] [k] (xs: [n]i32) (qs: [k]i8): [k]i32 = map (\q -> if q >= 0 && i64.i8 q < n - 1 then xs[i64.i8 q] + xs[i64.i8 (q + 1)] else 0) qs

-- The number of elements as a narrow number may be another one.
-- ==
-- entry: narrow_size
-- input { 3i64 [0i8, 2i8, 3i8, -1i8] } output { [0, 2, -1, -1] }
-- input { 258i64 [0i8, 1i8, 2i8, -1i8] } output { [0, 1, -1, -1] }
-- input { 130i64 [0i8, 1i8] } output { [-1, -1] }
entry narrow_size [k] (n: i64) (qs: [k]i8): [k]i32 =
  let xs = map i32.i64 (iota n)
  in map (\q -> if q >= 0 && q < i8.i64 n then xs[i64.i8 q] else -1) qs

-- ==
-- entry: narrow_remainders
-- input { 127i8 } output { 124i8 124i8 123i8 }
-- input { 1i8 } output { 0i8 0i8 0i8 }
entry narrow_remainders (m: i8): (i8, i8, i8) =
  let xs = tabulate (i64.i8 m) (\i -> (i8.i64 i - 3) % m)
  in (xs[0], xs[i64.i8 m - 1] + (if m > 1 then 1 else 0), xs[i64.i8 m - 1])

-- Unsigned numbers.
-- ==
-- entry: unsigned
-- input { [1, 2, 3] [0u64, 2u64, 3u64, 18446744073709551615u64] } output { [1, 3, 0, 0] }
entry unsigned [n] [k] (xs: [n]i32) (qs: [k]u64): [k]i32 = map (\q -> if q < u64.i64 n then xs[i64.u64 q] else 0) qs

-- Points between the elements of a grid.
-- ==
-- entry: between
-- input { [[1.0, 2.0, 3.0], [5.0, 6.0, 7.0]] [0.5, 1.5, -0.5, 0.0, 9.0] [0.5, 1.0, 0.5, 0.0, 0.0] } output { [3.5, 0.0, 0.0, 1.0, 0.0] }
entry between [h] [w] [k] (grid: [h][w]f64) (xs: [k]f64) (ys: [k]f64): [k]f64 =
  map2 (\x y ->
          let (i, j) = (i64.f64 (f64.floor y), i64.f64 (f64.floor x))
          let (dy, dx) = (y - f64.i64 i, x - f64.i64 j)
          in if i < 0 || j < 0 || i >= h - 1 || j >= w - 1 then 0
             else (1 - dy) * ((1 - dx) * grid[i, j] + dx * grid[i, j + 1]) + dy * ((1 - dx) * grid[i + 1, j] + dx * grid[i + 1, j + 1])) xs ys

-- ==
-- entry: derivative_between
-- input { [[1.0, 2.0, 3.0], [5.0, 6.0, 7.0]] [0.5, 1.5, -0.5, 9.0] [0.5, 1.0, 0.5, 0.0] } output { [[0.25, 0.25, 0.0], [0.25, 0.25, 0.0]] }
entry derivative_between [h] [w] [k] (grid: [h][w]f64) (xs: [k]f64) (ys: [k]f64): [h][w]f64 =
  vjp (\g -> f64.sum (between g xs ys)) grid 1
