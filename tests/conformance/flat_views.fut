-- Reductions and other loops over flattened views with gaps, each in a map: no thread may need a copy of its view.
-- ==
-- entry: channels
-- input { [[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]], [[[9.0, 10.0], [11.0, 12.0]], [[13.0, 14.0], [15.0, 17.0]]]] }
-- output { [6.5, 10.625] [17.25, 18.734375] }
def mean [n] (xs: [n]f64) = f64.sum xs / f64.i64 n
def variance [n] (xs: [n]f64) = let m = mean xs in mean (map (\x -> (x - m) ** 2) xs)
entry channels [a][b][n][m] (xs: [a][b][n][m]f64) =
  unzip (map (\x -> (mean (flatten_3d x), variance (flatten_3d x))) (transpose xs))

-- The last place in a window of two columns where an element is large.
-- ==
-- entry: last_above
-- input { [[1i32, 7i32, 3i32], [9i32, 2i32, 8i32]] 4i32 } output { [2i64, 0i64, 2i64, 2i64] }
entry last_above [n][m] (xs: [n][m]i32) (limit: i32) =
  let window i = flatten (map (\r -> [r[i % m], r[i / 2]]) xs)
  in map (\i -> let w = window i in loop k = -1 for j < length w do if w[j] > limit && j % 2 == 0 then j else k) (iota 4)

-- Derivatives pass through such views as well.
-- ==
-- entry: gradient
-- input { [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 9.0]]] }
-- output { [[[4.0, 2.0], [8.0, 6.0]], [[12.0, 10.0], [18.0, 14.0]]] }
entry gradient [a][b][n] (xs: [a][b][n]f64) =
  vjp (\xs -> f64.sum (map (\x -> let f = flatten x in f64.sum (map (\i -> f[i] * f[i ^ 1]) (indices f))) (transpose xs))) xs 1
