-- Filters and partitions that one thread does in one pass: sizes from nothing on, everything kept and nothing, tuples, rows, costly and
-- failing predicates; results that are read, changed and kept; in maps and loops, and their derivatives.

def numbers (n: i64): [n]i64 = opaque (tabulate n (\i -> (i * 7919 + 13) % 101))
def same (xs: []i64) (ys: []i64): bool = length xs == length ys && and (tabulate (length xs) (\i -> xs[i] == ys[i]))

-- ==
-- entry: sizes
-- input { 20i64 } output { true }
-- input { 70i64 } output { true }
entry sizes (most: i64): bool =
  loop right = true for n < most do
    let xs = numbers n
    let ys = filter (< 50) xs
    let (us, vs) = partition (< 50) xs
    let zs = filter (>= 50) xs
    in right && length ys + length zs == n && and (map (< 50) ys) && and (map (>= 50) zs) && i64.sum ys + i64.sum zs == i64.sum xs &&
       same us ys && same vs zs

-- ==
-- entry: ends
-- input { [3i64, 1i64, 4i64, 1i64, 5i64] } output { [3i64, 1i64, 4i64, 1i64, 5i64] empty([0]i64) [1i64, 1i64] [3i64, 4i64, 5i64] [1i64, 1i64] }
-- input { empty([0]i64) } output { empty([0]i64) empty([0]i64) empty([0]i64) empty([0]i64) empty([0]i64) }
-- input { [1i64] } output { [1i64] empty([0]i64) [1i64] empty([0]i64) [1i64] }
entry ends (xs: []i64): ([]i64, []i64, []i64, []i64, []i64) =
  let (us, vs) = partition (== 1) xs
  in (filter (> 0) xs, filter (< 0) xs, us, vs, filter (== 1) xs)

-- A size that is known.
-- ==
-- entry: known
-- input { [3i64, 1i64, 4i64, 1i64, 5i64] } output { [3i64, 4i64, 5i64] 3i64 }
entry known (xs: [5]i64): ([]i64, i64) =
  let ys = filter (> 2) xs
  in (ys, length ys)

-- Of each type, and of tuples of these.
-- ==
-- entry: types
-- input { [3i64, 1i64, 4i64, 1i64, 5i64] }
-- output { [3i8, 4i8, 5i8] [3u16, 4u16, 5u16] [3f16, 4f16, 5f16] [true, false, true] [3f32, 4f32, 5f32] [9f64, 16f64, 25f64] }
entry types (xs: []i64) =
  let t = map (\x -> (i8.i64 x, u16.i64 x, f16.i64 x, x % 2 == 1, f32.i64 x, f64.i64 (x * x))) xs
          |> filter (\(x, _, _, _, _, _) -> x > 2)
  in (map (.0) t, map (.1) t, map (.2) t, map (.3) t, map (.4) t, map (.5) t)

-- ==
-- entry: rows
-- input { [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32], [0i32, 1i32]] 3i32 } output { [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]] [[0i32, 1i32]] [0i64, 1i64, 2i64] }
-- input { [[1i32, 2i32], [3i32, 4i32]] 100i32 } output { empty([0][2]i32) [[1i32, 2i32], [3i32, 4i32]] empty([0]i64) }
entry rows [n][m] (xss: [n][m]i32) (least: i32): ([][m]i32, [][m]i32, []i64) =
  let (us, vs) = partition (\r -> i32.sum r >= least) xss
  in (us, vs, map (.0) (filter (\(_, r) -> i32.sum r >= least) (zip (iota n) xss)))

-- An element that fails stops the program. The message names any of those that fail.
-- ==
-- entry: failing
-- input { [1i64, 2i64, 3i64] } output { [1i64, 3i64] }
-- input { [1i64, 9i64, 8i64] } error: Index \[[89]\] out of bounds
entry failing (is: []i64): []i64 =
  let table = opaque [false, true, false, true]
  in filter (\i -> table[i]) is

-- A predicate with a loop inside; what the map before it makes is wanted, too.
-- ==
-- entry: costly
-- input { [1i64, 2i64, 6i64, 7i64, 27i64] 10i64 } output { [27i64, 49i64, 36i64] [1i64, 4i64, 36i64, 49i64, 729i64] }
entry costly (xs: []i64) (steps: i64): ([]i64, []i64) =
  let squares = map (\x -> x * x) xs
  let long = filter (\(x, s) -> (loop (c, y) = (0, x) while y != 1 && c < 100 do (c + 1, if y % 2 == 0 then y / 2 else 3 * y + 1)).0 > steps || s == 36) (zip xs squares)
  in (map (\(x, s) -> i64.min (x * x) (if x == 27 then 27 else s)) (reverse long), squares)

-- The result changes in place; the original stays.
-- ==
-- entry: changed
-- input { [5i64, 1i64, 6i64, 2i64] } output { [5i64, 7i64] [5i64, 1i64, 6i64, 2i64] }
entry changed (xs: []i64): ([]i64, []i64) =
  let ys = filter (> 3) xs
  in (if length ys > 1 then copy ys with [1] = 7 else ys, xs)

-- Derivatives, each of several directions as well.
-- ==
-- entry: derivatives
-- input { [1f64, 3f64, 2f64, 5f64] } output { [0f64, 6f64, 0f64, 10f64] [1f64, 6f64, 1f64, 10f64] [0f64, 6f64, 0f64, 10f64] }
entry derivatives [n] (xs: [n]f64): ([n]f64, [n]f64, [n]f64) =
  let kept (xs: [n]f64): f64 = f64.sum (map (\x -> x * x) (filter (> 2.5) xs))
  let both (xs: [n]f64): f64 = let (us, vs) = partition (> 2.5) xs in f64.sum (map (\x -> x * x) us) + f64.sum vs
  let unit i = tabulate n (\j -> if i == j then 1 else 0)
  in (vjp kept xs 1, vjp both xs 1, tabulate n (\i -> jvp kept xs (unit i)))

-- Reductions of what is kept: nothing is kept, all is, and what they read more than once.
-- ==
-- entry: reduced
-- input { [3.0, -1.0, 4.0, -5.0] } output { 7.0 4.0 2i64 2i64 3.5 }
-- input { [-1.0] } output { 0.0 -f64.inf -1i64 0i64 0.0 }
-- input { empty([0]f64) } output { 0.0 -f64.inf -1i64 0i64 0.0 }
-- input { [2.0, 8.0] } output { 10.0 8.0 1i64 2i64 5.0 }
entry reduced [n] (xs: [n]f64): (f64, f64, i64, i64, f64) =
  let ys = filter (> 0) xs
  let (_, place) = reduce (\(a, i) (b, j) -> if b > a || i < 0 then (b, j) else (a, i)) (-f64.inf, -1) (filter (\(x, _) -> x > 0) (zip xs (iota n)))
  in (f64.sum ys, f64.maximum ys, place, length ys, if null ys then 0 else f64.sum ys / f64.i64 (length ys))

-- What the elements that are kept go through may fail for others.
-- ==
-- entry: partial
-- input { [1i64, 7i64, 0i64] } output { 30i64 }
-- input { [1i64, 3i64, 0i64] } error: Index \[3\] out of bounds for array of shape \[3\]
entry partial (is: []i64): i64 = i64.sum (map (\i -> [10i64, 20i64, 30i64][i]) (filter (< 5) is))

-- ==
-- entry: reduced_gradient
-- input { [3.0, -1.0, 4.0] } output { [6.0, 0.0, 8.0] }
entry reduced_gradient [n] (xs: [n]f64): [n]f64 = vjp (\xs -> f64.sum (map (\x -> x * x) (filter (> 0) xs))) xs 1
