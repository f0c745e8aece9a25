-- places.fut - arrays in rows whose places are computed: by quotients and remainders (flat), by windows around each place, by columns.

-- The mean of each cell and its neighbours, over an image in one row; cells outside are zero.
-- ==
-- entry: blurred
-- input { 2i64 3i64 [1f64, 2f64, 3f64, 4f64, 5f64, 6f64] } output { [1.4f64, 2.2f64, 2.2f64, 2f64, 3.4f64, 2.8f64] }
-- notest compiled random input { 1000i64 1000i64 [1000000]f64 }
entry blurred (h: i64) (w: i64) (xs: [h * w]f64): [h * w]f64 =
  tabulate (h * w) (\p ->
    let (i, j) = (p / w, p % w)
    let at a b = if a < 0 || a >= h || b < 0 || b >= w then 0 else xs[a * w + b]
    in (at i j + at (i - 1) j + at (i + 1) j + at i (j - 1) + at i (j + 1)) / 5)

-- The distances of all pairs of points, and the least of two that differ.
def distance (a: f64) (b: f64) = (a - b) * (a - b)

-- ==
-- entry: distances
-- input { [1f64, 3f64, 4f64] } output { [0f64, 4f64, 9f64, 4f64, 0f64, 1f64, 9f64, 1f64, 0f64] }
-- notest compiled random input { [2000]f64 }
entry distances [n] (xs: [n]f64): [n * n]f64 = tabulate (n * n) (\p -> distance xs[p / n] xs[p % n])

-- ==
-- entry: nearest
-- input { [1f64, 3f64, 4f64] } output { 1f64 }
-- notest compiled random input { [2000]f64 }
entry nearest [n] (xs: [n]f64): f64 =
  f64.minimum (tabulate (n * n) (\p -> if p / n == p % n then f64.inf else distance xs[p / n] xs[p % n]))

-- ==
-- entry: product
-- input { [[1f64, 2f64], [3f64, 4f64], [5f64, 6f64]] [[1f64, 0f64, 2f64], [0f64, 1f64, 3f64]] } output { [1f64, 2f64, 8f64, 3f64, 4f64, 18f64, 5f64, 6f64, 28f64] }
-- notest compiled random input { [500][500]f64 [500][500]f64 }
entry product [n] [m] [k] (a: [n][k]f64) (b: [k][m]f64): [n * m]f64 = tabulate (n * m) (\p -> f64.sum (map2 (*) a[p / m] b[:, p % m]))

-- ==
-- entry: transposed
-- input { 2i64 3i64 [1f32, 2f32, 3f32, 4f32, 5f32, 6f32] } output { [1f32, 4f32, 2f32, 5f32, 3f32, 6f32] }
-- notest compiled random input { 1000i64 1000i64 [1000000]f32 }
entry transposed (h: i64) (w: i64) (xs: [h * w]f32): [w * h]f32 = tabulate (w * h) (\p -> xs[(p % h) * w + p / h])

-- Conway's life on a torus.
def steps_of_life [h] [w] (steps: i64) (cells: [h][w]i8): [h][w]i8 =
  loop cells for _k < steps do
    tabulate_2d h w (\i j ->
      let at a b = cells[(i + a) % h, (j + b) % w]
      let near = at (-1) (-1) + at (-1) 0 + at (-1) 1 + at 0 (-1) + at 0 1 + at 1 (-1) + at 1 0 + at 1 1
      in i8.bool (near == 3 || near == 2 && cells[i, j] == 1))

-- ==
-- entry: life
-- input { 1i64 [[0i8, 1i8, 0i8, 0i8], [0i8, 1i8, 0i8, 0i8], [0i8, 1i8, 0i8, 0i8], [0i8, 0i8, 0i8, 0i8]] }
-- output { [[0i8, 0i8, 0i8, 0i8], [1i8, 1i8, 1i8, 0i8], [0i8, 0i8, 0i8, 0i8], [0i8, 0i8, 0i8, 0i8]] }
entry life [h] [w] (steps: i64) (cells: [h][w]i8): [h][w]i8 = steps_of_life steps cells

-- ==
-- entry: lives
-- notest input { 20i64 512i64 }
entry lives (steps: i64) (n: i64): [n][n]i8 = steps_of_life steps (tabulate_2d n n (\i j -> i8.bool ((i * 7 + j * 13 + i * j) % 3 == 0)))

-- Windows of three by three: by a remainder, by a table of neighbours with places kept inside, and by slices.
-- ==
-- entry: filtered
-- input { [[1f32, 2f32, 3f32, 4f32], [5f32, 6f32, 7f32, 8f32], [9f32, 10f32, 11f32, 12f32]] } output { [[348f32, 393f32]] }
-- notest compiled random input { [1000][1000]f32 }
entry filtered [h] [w] (xss: [h][w]f32): [][]f32 =
  tabulate_2d (i64.max 0 (h - 2)) (i64.max 0 (w - 2)) (\i j -> f32.sum (map (\k -> xss[i + k / 3, j + k % 3] * f32.i64 (k + 1)) (iota 9)))

-- ==
-- entry: boxes
-- input { [[1f64, 2f64, 3f64], [4f64, 5f64, 6f64]] } output { [[21f64, 27f64, 33f64], [30f64, 36f64, 42f64]] }
-- notest compiled random input { [1000][1000]f64 }
entry boxes [h] [w] (xss: [h][w]f64): [h][w]f64 =
  let around = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0), (1, 1)]
  let inside n i = i64.max 0 (i64.min (n - 1) i)
  in tabulate_2d h w (\i j -> f64.sum (map (\(a, b) -> xss[inside h (i + a), inside w (j + b)]) around))

-- ==
-- entry: sharpened
-- input { [[1f64, 2f64, 3f64, 4f64], [5f64, 6f64, 7f64, 8f64], [9f64, 10f64, 11f64, 12f64]] } output { [[54f64, 63f64]] }
-- notest compiled random input { [1000][1000]f64 }
entry sharpened [h] [w] (xss: [h][w]f64): [][]f64 =
  tabulate_2d (i64.max 0 (h - 2)) (i64.max 0 (w - 2)) (\i j -> f64.sum (flatten xss[i:i + 3, j:j + 3]))

-- Eleven coefficients along each signal, and the gradient of the energy of the result.
-- ==
-- entry: responses
-- input { [[1f64, 2f64, 3f64, 4f64, 5f64, 6f64, 7f64, 8f64, 9f64, 10f64, 11f64, 12f64]] [1f64, 0f64, -1f64, 2f64, 0.5f64, 0f64, 0f64, 1f64, 0f64, 3f64, -2f64] }
-- output { [[24.5f64, 29f64]] }
-- notest compiled random input { [100][10000]f64 [11]f64 }
entry responses [n] [m] (signals: [n][m]f64) (cs: [11]f64): [][]f64 =
  map (\xs -> tabulate (i64.max 0 (m - 10)) (\i -> f64.sum (map2 (*) (xs[i:i + 11] :> [11]f64) cs))) signals

-- Sums and products along columns, and the derivative of the sums.
def sums [n] [m] (xss: [n][m]f64): [n][m]f64 = transpose (map (scan (+) 0) (transpose xss))

-- ==
-- entry: column_sums
-- input { [[1f64, 2f64], [3f64, 4f64], [5f64, 6f64]] } output { [[1f64, 2f64], [4f64, 6f64], [9f64, 12f64]] }
-- notest compiled random input { [1000][1000]f64 }
entry column_sums [n] [m] (xss: [n][m]f64): [n][m]f64 = sums xss

-- ==
-- entry: column_sums_derivative
-- input { [[1f64, 2f64], [3f64, 4f64], [5f64, 6f64]] } output { [[9f64, 12f64], [8f64, 10f64], [5f64, 6f64]] }
-- notest compiled random input { [1000][1000]f64 }
entry column_sums_derivative [n] [m] (xss: [n][m]f64): [n][m]f64 = vjp sums xss xss
