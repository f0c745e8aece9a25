-- Minima and maxima beside sums, of few and many elements; what is not a number is no element.
-- ==
-- entry: beside
-- input { [3.0, -1.0, 7.5, 2.0, 9.0, -4.0, 0.5] } output { 9.0 -4.0 17.0 }
-- input { [-2.0] } output { -2.0 -2.0 -2.0 }
entry beside [n] (x: [n]f64) = (f64.maximum x, f64.minimum x, f64.sum x)

-- ==
-- entry: of_values
-- input { [1f32, 2f32, 5f32, 0f32, 9f32] } output { 54f32 }
entry of_values [n] (x: [n]f32) = f32.maximum (map (\a -> a * a - 3 * a) x)

-- ==
-- entry: of_rows
-- input { [[1.0, 2.0, -1.0], [3.0, 0.5, 9.0]] } output { [-1.0, 0.5] }
entry of_rows [n] [m] (x: [n][m]f64) = map f64.minimum x

-- ==
-- entry: not_numbers
-- input { 20i64 } output { 19.0 1.0 }
-- input { 1i64 } output { -f64.inf f64.inf }
-- input { 0i64 } output { -f64.inf f64.inf }
entry not_numbers (n: i64) =
  let x = map (\i -> if i % 3 == 0 then f64.nan else f64.i64 i) (iota n)
  in (f64.maximum x, f64.minimum x)

-- With constants, of which the compiler knows that they are numbers or not.
-- ==
-- entry: clamped
-- input { [-3.0, 0.25, 7.0, f64.nan, f64.inf, -f64.inf] }
-- output { [0.5, 0.5, 2.0, 0.5, 2.0, 0.5] [-3.0, 0.25, 2.0, 2.0, 2.0, -f64.inf] [0.0, 0.25, 7.0, 0.0, f64.inf, 0.0] [-3.0, 0.25, 7.0, f64.nan, f64.inf, -f64.inf] }
-- input { empty([0]f64) } output { empty([0]f64) empty([0]f64) empty([0]f64) empty([0]f64) }
entry clamped [n] (x: [n]f64) =
  (map (\a -> f64.min 2 (f64.max 0.5 a)) x, map (\a -> f64.min a 2) x, map (\a -> f64.max 0 a) x, map (\a -> f64.max a (f64.min f64.nan f64.nan)) x)

-- What begins with a NaN: that of the data, or one for which the largest number is wanted.
-- ==
-- entry: from_first
-- input { [2f64, f64.nan, 1f64] } output { 2f64 1f64 }
-- input { [f64.nan, 2f64, 1f64] } output { 2f64 1f64 }
-- input { [f64.nan, f64.nan] } output { f64.nan f64.nan }
entry from_first (xs: []f64) = (foldl f64.max xs[0] xs, (reduce (\(a, b) (c, d) -> (f64.max a c, f64.min b d)) (xs[0], xs[0]) (zip xs xs)).1)

-- ==
-- entry: from_nan
-- input { 0i64 -1i64 } output { f64.nan }
-- input { 3i64 -1i64 } output { f64.nan }
-- input { 3i64 2i64 } output { 7f64 }
-- input { 1000i64 5i64 } output { 7f64 }
entry from_nan (n: i64) (k: i64) = reduce f64.max f64.nan (tabulate n (\i -> if i == k then 7 else f64.nan))

-- ==
-- entry: rows_from_first
-- input { [[f32.nan, 2f32, 1f32], [f32.nan, f32.nan, f32.nan], [-f32.inf, f32.nan, -f32.inf]] } output { [2f32, f32.nan, -f32.inf] }
entry rows_from_first (xss: [][]f32) = map (\xs -> reduce f32.max xs[0] xs) xss
