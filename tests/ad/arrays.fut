-- Data movement: gathers, slices, updates, views.
-- rule: index.read
-- ad: gather { [1.0, 2.0, 3.0, 4.0] [0i64, 2i64, 2i64] }
def gather (xs: []f64, is: []i64) = map (\i -> xs[i] * xs[0]) is

-- ad: slices { [1.0, 2.0, 3.0, 4.0] }
def slices (xs: []f64) = (map2 (*) (sized 2 xs[1:3]) (sized 2 xs[2:4]), xs[::-1], sized 2 xs[::2])

-- ad: matrix_parts { [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] }
def matrix_parts (a: [][]f64) = (a[1], a[:, 2], a[0, 1] * a[1, 0])

-- rule: update.point
-- ad: update { [1.0, 2.0, 3.0] 5.0 }
def update (xs: []f64, x: f64) = map (\y -> y * y) (copy xs with [1] = x * x)

-- ad: update_twice { [1.0, 2.0, 3.0] }
def update_twice (xs: []f64) = copy xs with [1] = xs[0] * xs[1] with [0] = xs[2] * xs[2]

-- rule: update.slice
-- ad: update_slice { [1.0, 2.0, 3.0] [4.0, 5.0] }
def update_slice (xs: []f64, ys: []f64) = copy xs with [1:3] = sized 2 (map (* 2) ys)

-- rule: array.permute
-- ad: views { [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] }
def views [n][m] (a: [n][m]f64) = (map f64.sum (transpose a), flatten a, map (* 2) (flatten (transpose a)))

-- rule: array.copy
-- ad: copies { [1.0, 2.0] 3.0 }
def copies (xs: []f64, y: f64) = (xs ++ xs, replicate 3 y, [y, y * y, xs[0]], map (\x -> x * y) (xs ++ [y]))

-- rule: array.literal
-- ad: rows { [1.0, 2.0] }
def rows (xs: []f64) = f64.sum (flatten (map2 (\r i -> map (* i) r) (replicate 3 xs) [1, 2, 3]))

-- ad: rotated { [1.0, 2.0, 3.0] }
def rotated (xs: []f64) = map2 (*) xs (rotate 1 xs)

-- rule: scatter.plain
-- ad: filtered { [1.0, -2.0, 3.0] }
def filtered (xs: []f64) = f64.sum (map (\x -> x * x * x) (filter (> 0) xs))

-- Indices that repeat, with the same value: one of the writes has the derivative.
-- rule: scatter.repeated scatter.sequential
-- ad: scatter_repeated { [1.1, 0.3, 0.4, 0.7, 0.2] [0i64, 2i64, 0i64, 7i64, 2i64, -1i64] }
def scatter_repeated [n][m] (xs: [n]f64, is: [m]i64): f64 =
  let ys = scatter (map f64.cos xs) is (map (\i -> if i >= 0 && i < n then f64.sin (xs[i] * 3) else 1) is)
  in f64.sum (map2 (*) ys xs)

-- ad: scatter_repeated_rows { [[1.1, 0.3], [0.4, 0.7]] [0i64, 0i64, 1i64] }
def scatter_repeated_rows [n][m][k] (xs: [n][m]f64, is: [k]i64): f64 =
  let ys = scatter (copy xs) is (map (\i -> map (* xs[i, 0]) xs[i]) is)
  in f64.sum (map f64.product ys)

-- ad: scatter_repeated_2d { [[1.1, 0.3], [0.4, 0.7]] [0i64, 0i64, 1i64] }
def scatter_repeated_2d [n][m][k] (xs: [n][m]f64, is: [k]i64): f64 =
  let ys = scatter_2d (copy xs) (map (\i -> (i, 1)) is) (map (\i -> xs[i, 0] * xs[i, 1]) is)
  in f64.sum (map f64.product ys)

-- ad: scatter_repeated_pairs { [1.1, 0.3, 0.4] [0i64, 0i64, 1i64] }
def scatter_repeated_pairs [n][k] (xs: [n]f64, is: [k]i64): f64 =
  let (ys, zs) = unzip (scatter (zip (copy xs) (copy xs)) is (map (\i -> (xs[i] * xs[i], f64.exp xs[i])) is))
  in f64.sum (map2 (*) ys zs)

-- ad: scatter_few { [1.1, 0.3, 0.4] 1i64 }
def scatter_few [n] (xs: [n]f64, k: i64): f64 =
  f64.sum (map f64.sin (scatter (copy xs) [k, 0, k, n] (map (\x -> x * x) [xs[k], xs[0], xs[k], 1])))
