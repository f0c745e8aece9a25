-- Histograms: every operator, on scalars and rows, with zeros, ties and indices outside.
-- rule: hist.mul
-- ad: hist_mul { [1.0,3.0,2.0,4.0] [0i64,1i64,1i64,-1i64] }
def hist_mul [n] (vs: [n]f64, is: [n]i64): [3]f64 = hist (*) 1 3 is vs

-- Of every bin a proper product, and then one that is none.
-- ad: hist_mul_proper { [1.0,3.0,2.0,4.0,0.5] [0i64,1i64,1i64,-1i64,2i64] [0.7,1.5,2.5] }
def hist_mul_proper [n][k] (vs: [n]f64, is: [n]i64, d: [k]f64): [k]f64 = reduce_by_index (copy d) (*) 1 is vs

-- ad: hist_mul_zero { [0.0,3.0,2.0,0.0,0.5] [0i64,1i64,1i64,-1i64,2i64] [0.7,1.5,0.0] }
def hist_mul_zero [n][k] (vs: [n]f64, is: [n]i64, d: [k]f64): [k]f64 = reduce_by_index (copy d) (*) 1 is vs

-- ad: hist_mul_rows { [[1.0,3.0],[2.0,4.0],[0.5,0.1]] [1i64,0i64,1i64] }
def hist_mul_rows [n][m] (vs: [n][m]f64, is: [n]i64): [2][m]f64 = reduce_by_index (replicate 2 (replicate m 2)) (map2 (*)) (replicate m 1) is vs

-- rule: hist.extremum
-- ad: hist_max { [1.0,3.0,2.0,4.0] [0i64,1i64,1i64,-1i64] }
def hist_max [n] (vs: [n]f64, is: [n]i64): [3]f64 = hist f64.max (-100) 3 is vs

-- ad: rbi_min { [1.0,3.0,2.0,4.0] [0i64,1i64,1i64,-1i64] [1.5,2.5] }
def rbi_min [n][k] (vs: [n]f64, is: [n]i64, d: [k]f64): [k]f64 = reduce_by_index (copy d) f64.min f64.inf is vs

-- ad: rbi_mul { [1.0,3.0,2.0,4.0] [0i64,1i64,1i64,-1i64] [1.5,2.5] }
def rbi_mul [n][k] (vs: [n]f64, is: [n]i64, d: [k]f64): [k]f64 = reduce_by_index (copy d) (*) 1 is vs

-- rule: hist.add
-- ad: hist_rows { [[1.0,3.0],[2.0,4.0],[1.0,1.0]] [0i64,1i64,1i64] }
def hist_rows [n] (vs: [n][2]f64, is: [n]i64): [2][2]f64 =
  reduce_by_index (replicate 2 (replicate 2 0)) (map2 (+)) (replicate 2 0) is vs

-- rule: hist.sequential
-- ad: h_general { [1.0,3.0,2.0,4.0] [0i64,1i64,1i64,-1i64] [1.5,2.5] }
def h_general [n][k] (vs: [n]f64, is: [n]i64, d: [k]f64): [k]f64 =
  reduce_by_index (copy d) (\a b -> a + b + a * b) 0 is vs

-- ad: h_complex { [1.0,3.0,2.0,4.0] [0.5,0.3,0.2,0.1] [0i64,1i64,1i64,7i64] }
def h_complex [n] (xs: [n]f64, ys: [n]f64, is: [n]i64): ([2]f64, [2]f64) =
  unzip (hist (\(a, b) (c, d) -> (a * c - b * d, a * d + b * c)) (1, 0) 2 is (zip xs ys))

-- ad: h_free { [1.0,3.0,2.0,4.0] [0i64,1i64,1i64,7i64] 0.7 }
def h_free [n] (xs: [n]f64, is: [n]i64, w: f64): [2]f64 = hist (\a b -> a + b + w * a * b) 0 2 is xs

-- ad: h_rows_mul { [[1.0,3.0],[2.0,4.0],[1.0,0.0]] [0i64,1i64,1i64] [[2.0,1.0],[1.0,3.0]] }
def h_rows_mul [n] (vs: [n][2]f64, is: [n]i64, d: [2][2]f64): [2][2]f64 =
  reduce_by_index (copy d) (map2 (*)) (replicate 2 1) is vs

-- ad: h_rows_max { [[1.0,3.0],[2.0,4.0],[1.0,0.0]] [0i64,1i64,1i64] [[2.0,1.0],[1.0,3.0]] }
def h_rows_max [n] (vs: [n][2]f64, is: [n]i64, d: [2][2]f64): [2][2]f64 =
  reduce_by_index (copy d) (map2 f64.max) (replicate 2 f64.lowest) is vs

-- ad: h_rows_gen { [[1.0,3.0],[2.0,4.0],[1.0,0.0]] [0i64,1i64,1i64] [[2.0,1.0],[1.0,3.0]] }
def h_rows_gen [n] (vs: [n][2]f64, is: [n]i64, d: [2][2]f64): [2][2]f64 =
  reduce_by_index (copy d) (map2 (\x y -> x + y + x * y)) (replicate 2 0) is vs

-- ad: h_2d { [1.0,3.0,2.0] [0i64,1i64,1i64] [[2.0,1.0],[1.0,3.0]] }
def h_2d [n] (vs: [n]f64, is: [n]i64, d: [2][2]f64): [2][2]f64 =
  reduce_by_index_2d (copy d) (*) 1 (map (\i -> (i, 1 - i)) is) vs

-- ad: h_mul0 { [0.0,3.0,2.0,0.0,0.0] [0i64,0i64,1i64,2i64,2i64] }
def h_mul0 [n] (vs: [n]f64, is: [n]i64): [3]f64 = hist (*) 1 3 is vs

-- ad: h_in_map { [[1.0,3.0,2.0],[1.5,0.5,0.2]] [0i64,1i64,1i64] }
def h_in_map [n][m] (vs: [n][m]f64, is: [m]i64): [n][2]f64 = map (\v -> hist (*) 1 2 is v) vs

-- ad: h_in_loop { [1.2,3.0,2.0] [0i64,1i64,1i64] 3i64 }
def h_in_loop [m] (v: [m]f64, is: [m]i64, k: i64): [2]f64 =
  loop d = [0.5, 0.5] for i < k do reduce_by_index (copy d) f64.max 0 is (map (\x -> x * d[0] + f64.i64 i) v)

-- ad: h_int { [1.0,3.0,2.0] [0i64,1i64,1i64] }
def h_int [m] (v: [m]f64, is: [m]i64): [2]f64 =
  let c = hist (+) 0 2 is (map (const 1i64) v) in map2 (\s n -> s / f64.i64 n) (hist (+) 0 2 is v) c

-- rule: hist.sorted
-- ad: h_one_bin { [1.0,3.0,2.0,0.5] [0i64,0i64,-1i64,0i64] [0.5] 0.7 }
def h_one_bin [n][k] (vs: [n]f64, is: [n]i64, d: [k]f64, w: f64): [k]f64 =
  reduce_by_index (copy d) (\a b -> a + b + w * a * b) 0 is vs

-- ad: h_outside { [1.0,3.0] [-1i64,5i64] [0.5,2.0] 0.7 }
def h_outside [n][k] (vs: [n]f64, is: [n]i64, d: [k]f64, w: f64): [k]f64 =
  reduce_by_index (copy d) (\a b -> a + b + w * a * b) 0 is vs

-- ad: h_many_bins { [1.0,3.0,2.0,0.5,0.25,1.5,0.3,0.2,0.1] [6i64,0i64,8i64,6i64,2i64,-3i64,6i64,0i64,9i64] [0.5,2.0,1.0,0.3,0.4,0.6,0.7,0.8,0.9] [0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9] 0.7 }
def h_many_bins [n][k] (vs: [n]f64, is: [n]i64, d: [k]f64, e: [k]f64, w: f64): ([k]f64, [k]f64) =
  unzip (reduce_by_index (zip d e) (\(a, b) (c, d) -> (a * c - w * b * d, a * d + b * c)) (1, 0) is (zip vs (map f64.cos vs)))

-- ad: h_weights { [1.0,3.0,2.0] [0i64,1i64,1i64] [[2.0,1.0],[1.0,3.0]] [0.2,0.4] }
def h_weights [n] (vs: [n]f64, is: [n]i64, d: [2][2]f64, ws: [2]f64): [2][2]f64 =
  reduce_by_index_2d (copy d) (\a b -> a + b + ws[0] * ws[1] * a * b) 0 (map (\i -> (i, 1 - i)) is) vs

-- ad: h_rows_free { [[1.0,3.0],[2.0,4.0],[1.0,0.0]] [0i64,1i64,1i64] [[2.0,1.0],[1.0,3.0]] 0.3 }
def h_rows_free [n] (vs: [n][2]f64, is: [n]i64, d: [2][2]f64, w: f64): [2][2]f64 =
  reduce_by_index (copy d) (map2 (\x y -> x + y + w * x * y)) (replicate 2 0) is vs

-- ad: h_together { [1.0,3.0,2.0,0.5] [0i64,1i64,1i64,3i64] 0.3 }
def h_together [n] (vs: [n]f64, is: [n]i64, w: f64): ([2]f64, [2][2]f64) =
  unzip (hist (\(a, x) (b, y) -> (a + b, map2 (\s t -> s + t + w * s * t) x y)) (0, [0, 0]) 2 is (map (\v -> (v * v, [v, 2 * v])) vs))

-- ad: h_general_loop { [1.2,3.0,2.0] [0i64,1i64,1i64] 3i64 }
def h_general_loop [m] (v: [m]f64, is: [m]i64, k: i64): [2]f64 =
  loop d = [0.5, 0.5] for i < k do reduce_by_index (copy d) (\a b -> a + b + 0.1 * a * b) 0 is (map (\x -> x * d[0] + f64.i64 i) v)

-- ad: h_argmax { [1.0,3.0,2.0] [0i64,1i64,1i64] }
def h_argmax [m] (v: [m]f64, is: [m]i64): [2]f64 =
  let (a, i) = unzip (hist (\(a, i) (b, j) -> if a > b then (a, i) else (b, j)) (-1000, -1) 2 is (zip v (iota m))) in map2 (\x k -> x * f64.i64 k) a i

-- ad: hh { [1.0,3.0,2.0] [0i64,1i64,1i64] }
def hh [m] (v: [m]f64, is: [m]i64): [m]f64 = vjp (\v -> hist f64.max 0 2 is (map (\x -> x * x * x) v)) v [1.0, 2.0]

-- ad: hh2 { [1.0,3.0,2.0] [0i64,1i64,1i64] }
def hh2 [m] (v: [m]f64, is: [m]i64): [m]f64 = vjp (\v -> hist (\a b -> a + b + a * b) 0 2 is v) v [1.0, 2.0]

-- ad: hj { [1.0,3.0,2.0] [0i64,1i64,1i64] }
def hj [m] (v: [m]f64, is: [m]i64): [2]f64 = jvp (\v -> hist (*) 1 2 is v) v (map (* 2) v)
