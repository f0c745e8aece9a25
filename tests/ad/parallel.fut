-- map, reduce, scan, scatter, histograms.
-- rule: map.plain
-- ad: maps { [1.0, 2.0] [3.0, 4.0] }
def maps [n] (xs: [n]f64, ys: [n]f64) = (map (\x -> x * x) xs, map2 (*) xs ys)

-- rule: map.free_scalar map.free_array
-- ad: map_free { [1.0, 2.0] 3.0 [5.0, 6.0, 7.0] }
def map_free (xs: []f64, y: f64, zs: []f64) = map (\x -> x * y + f64.sum (map (* x) zs)) xs

-- ad: map_empty { empty([0]f64) 3.0 }
def map_empty (xs: []f64, y: f64) = map (* y) xs

-- ad: matrix_product { [[1.0, 2.0], [3.0, 4.0]] [[5.0, 6.0], [7.0, 8.0]] }
def matrix_product [n][m][k] (a: [n][m]f64, b: [m][k]f64): [n][k]f64 =
  map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a

-- rule: reduce.add
-- ad: sum_of_squares { [1.0, 2.0, 3.0] }
def sum_of_squares (xs: []f64) = f64.sum (map (\x -> x * x) xs)

-- ad: product { [1.0, 2.0, 3.0] }
def product (xs: []f64) = f64.product xs

-- rule: reduce.mul
-- ad: product_zero { [1.0, 0.0, 3.0] }
def product_zero (xs: []f64) = f64.product xs

-- rule: reduce.extremum
-- ad: extrema { [1.0, 5.0, 3.0] }
def extrema (xs: []f64) = (f64.maximum xs, f64.minimum xs)

-- Components that do not need one another: each has its own rule; the count does not vary.
-- ad: reduce_apart { [1.5, 5.0, 3.0] [0.5, 1.5, 2.5] }
def reduce_apart [n] (xs: [n]f64, ys: [n]f64) =
  let (s, m, p, k) =
    reduce (\(s, m, p, k) (t, o, q, l) -> (s + t, f64.max m o, p * q, if m < o then l else if m == o then k + l else k))
           (0, -f64.inf, 1, 0) (zip4 xs ys (map f64.cos xs) (replicate n 1))
  in (s, m * p, p + f64.i64 k * m)

-- rule: reduce.general reduce.sequential
-- ad: reduce_pairs { [1.0, 2.0, 3.0] [0.5, 1.5, 2.5] }
def reduce_pairs [n] (xs: [n]f64, ys: [n]f64) =
  reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip xs ys)

-- Many elements of few numbers, so that there are parts, and elements that are in none.
def many [n] 't (xs: [n]f64) (k: i64) (f: f64 -> t): [k]t = tabulate k (\i -> f (xs[i % n] + 0.01 * f64.i64 (i % 7)))

-- rule: reduce.parts
-- ad: reduce_affine_parts { [0.3, -0.5, 0.9] 700i64 }
def reduce_affine_parts [n] (xs: [n]f64, k: i64) =
  reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (many xs k (\x -> (1 + 0.01 * x, f64.sin x)))

-- ad: reduce_moments { [0.3, -0.5, 0.9] 512i64 }
def reduce_moments [n] (xs: [n]f64, k: i64) =
  let (_, mean, square) =
    reduce (\(n, a, s) (m, b, t) ->
              let all = n + m
              let d = b - a
              in if all == 0 then (0, 0, 0) else (all, a + d * m / all, s + t + d * d * n * m / all))
           (0, 0, 0) (many xs k (\x -> (1, x, 0)))
  in (mean, square)

-- A free variable that does not vary, and one that does.
-- ad: reduce_free_parts { [0.3, -0.5, 0.9] 0.01 511i64 600i64 }
def reduce_free_parts [n] (xs: [n]f64, c: f64, few: i64, k: i64) =
  let h = 1 / f64.i64 k
  in (reduce (\a b -> a + b + h * a * b) 0 (many xs k f64.sin), reduce (\a b -> a + b + c * a * b) 0 (many xs k f64.cos),
      reduce (\a b -> a + b + h * a * b) 0 (many xs few f64.sin))

-- rule: reduce.rows
-- ad: reduce_rows { [[1.0, 2.0], [3.0, 4.0]] }
def reduce_rows [n][m] (a: [n][m]f64) = reduce (map2 (+)) (replicate m 0) a

-- ad: reduce_empty { empty([0]f64) }
def reduce_empty (xs: []f64) = f64.sum xs

-- ad: nested_reduce { [[1.0, 2.0], [3.0, 4.0]] }
def nested_reduce [n][m] (a: [n][m]f64) = f64.product (map (\r -> f64.sum (map (\x -> x * x) r)) a)

-- rule: scan.add
-- ad: scan_sum { [1.0, 2.0, 3.0] }
def scan_sum (xs: []f64) = scan (+) 0 (map (\x -> x * x) xs)

-- rule: scan.scalar
-- ad: scan_product { [1.0, 2.0, 3.0] }
def scan_product (xs: []f64) = scan (*) 1 xs

-- rule: scan.sequential scan.lifted
-- ad: scan_affine { [1.0, 2.0, 3.0] [0.5, 1.5, 2.5] }
def scan_affine [n] (xs: [n]f64, ys: [n]f64) =
  unzip (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip xs ys))

-- Only one component has an adjoint, and only its own adjoint goes on to the left.
-- rule: scan.carried scan.sequential
-- ad: scan_recurrence { [1.0, 2.0, 3.0] [0.5, 1.5, 2.5] }
def scan_recurrence [n] (xs: [n]f64, ys: [n]f64) =
  map (.1) (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip xs ys))

-- Products of triangular matrices: the adjoint of the corner goes on to the left in the corner and in one of the diagonal.
-- rule: scan.lifted scan.sequential
-- ad: scan_two_of_three { [1.0, 2.0, 3.0] [0.5, 1.5, 2.5] }
def scan_two_of_three [n] (xs: [n]f64, ys: [n]f64) =
  map (.1) (scan (\(a, b, c) (d, e, f) -> (a * d, c * e + b * d, c * f)) (1, 0, 1) (zip3 xs ys (map f64.cos ys)))

-- ad: reduce_recurrence { [1.0, 2.0, 3.0] [0.5, 1.5, 2.5] }
def reduce_recurrence [n] (xs: [n]f64, ys: [n]f64) =
  (reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip xs ys)).1

-- An operator with a free variable and an integer component.
-- rule: scan.lifted
-- ad: scan_rotations { 0.3 [0.1, 0.7, 0.2] 1.5 }
def scan_rotations (c: f64, xs: [3]f64, s: f64) =
  let turn (a, b, i) (d, e, j) = (a * d - s * b * e, a * e + b * d, i + j)
  let n = 70
  let (as, bs, is) = unzip3 (scan turn (1, 0, 0) (tabulate n (\i -> (f64.cos (xs[i % 3] * c), f64.sin xs[(i + 1) % 3], i % 3))))
  in (f64.sum (map2 (\a i -> a / f64.i64 (1 + i)) as is), bs[n / 2])

-- rule: scatter.plain acc.overwrite
-- ad: scattered { [1.0, 2.0, 3.0] [4.0, 5.0] }
def scattered (xs: []f64, ys: []f64) = map (\x -> x * x) (scatter (copy xs) [2, 0] (sized 2 ys))

-- ad: histogram { [1.0, 2.0, 3.0] }
def histogram [n] (xs: [n]f64) = hist (+) 0 2 (map (% 2) (iota n)) (map (\x -> x * x) xs)

-- ad: by_index { [1.0, 2.0] [3.0, 4.0, 5.0] }
def by_index [n] (ds: []f64, xs: [n]f64) = reduce_by_index (copy ds) (+) 0 (map (% 2) (iota n)) xs
