-- What goes over a concatenation: sums, maps, extrema, histograms, in rows of every length, and gradients.

-- ==
-- entry: all
-- input { [1.0, 2.0] [3.0] [5.0, 6.0, 7.0] } output { 38.0 3.0 [6.0, 13.0, 22.0] }
-- input { empty([0]f64) empty([0]f64) empty([0]f64) } output { 0.0 -f64.inf empty([0]f64) }
-- input { empty([0]f64) [3.0] [5.0] } output { 15.0 3.0 [16.0] }
entry all [n] [m] [k] (xs: [n]f64) (ys: [m]f64) (zs: [k]f64): (f64, f64, [k]f64) =
  (f64.sum (map2 (*) (xs ++ ys :> [k]f64) zs), f64.maximum (xs ++ ys), map2 (\x z -> x * z + 1) (xs ++ ys :> [k]f64) zs)

-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] [[5], [6]] } output { [8, 13] [[1, 4, 25], [9, 16, 36]] }
-- input { empty([2][0]i32) [[5], [6]] } output { [5, 6] [[25], [36]] }
entry rows [n] [k] [l] (xss: [n][k]i32) (yss: [n][l]i32) =
  (map2 (\xs ys -> i32.sum (xs ++ ys)) xss yss, map2 (\xs ys -> map (\x -> x * x) (xs ++ ys)) xss yss)

-- ==
-- entry: three
-- input { [1i64, 4i64] [2i64] } output { [1i64, 16i64, 4i64, 1i64, 16i64] 38i64 }
-- input { empty([0]i64) empty([0]i64) } output { empty([0]i64) 0i64 }
entry three [n] [m] (xs: [n]i64) (ys: [m]i64) =
  let all = map (\x -> x * x) (xs ++ ys ++ xs)
  in (all, i64.sum all)

-- Both directions of edges; the last update of a scatter is one of those of its place.
-- ==
-- entry: edges
-- input { [0i64, 1i64, 5i64] [1i64, 2i64, 0i64] [1.0, 10.0, 100.0] } output { [101.0, 11.0, 10.0] [7, 8, 9] }
entry edges [n] (from: [n]i64) (to: [n]i64) (w: [n]f64): ([3]f64, [3]i32) =
  (reduce_by_index (replicate 3 0) (+) 0 (from ++ to) (w ++ w), scatter [0, 0, 0] ([0] ++ [1, 2]) ([7] ++ [8, 9]))

-- The first element that fails is the one that is reported.
-- ==
-- entry: fails
-- input { [1, 2] [3] } output { [12, 6, 4] }
-- input { [1, 0] [3] } error: division by zero
-- input { [1, 2] [0] } error: division by zero
entry fails [n] [m] (xs: [n]i32) (ys: [m]i32) = map (12 /) (xs ++ ys)

-- ==
-- entry: gradient
-- input { [1.0, 2.0] [3.0] } output { [2.0, 4.0] [6.0] }
entry gradient [n] [m] (xs: [n]f64) (ys: [m]f64): ([n]f64, [m]f64) =
  vjp (\(xs, ys) -> f64.sum (map (\x -> x * x) (xs ++ ys))) (xs, ys) 1

-- In many directions: the sums of the parts are rows.
-- ==
-- entry: directions
-- input { [1.0, 4.0, 2.0] } output { [30.0, 12.0, 20.0] [0.0, 1.0, 0.0] }
-- input { empty([0]f64) } output { empty([0]f64) empty([0]f64) }
entry directions [n] (xs: [n]f64): ([n]f64, [n]f64) =
  let units = tabulate n (\i -> tabulate n (\j -> f64.bool (i == j)))
  in (jmp (\xs -> f64.product (map (+ 1) xs ++ [2])) xs units, jmp (\xs -> f64.maximum (map (* 1) xs ++ [2])) xs units)
