-- Maps over the places of arrays in rows, which ask for the row and the column of each place (flattened.cc).

def at (h: i64) (w: i64) (p: i64) = (p / w) * 1000 + p % w

-- Any two numbers: also two negative ones, short rows, none.
-- ==
-- entry: places
-- input { 2i64 20i64 } output { 40i64 20380i64 21i64 }
-- input { 3i64 2i64 } output { 6i64 6003i64 1i64 }
-- input { 0i64 20i64 } output { 0i64 0i64 0i64 }
-- input { 20i64 0i64 } output { 0i64 0i64 0i64 }
-- input { -2i64 -3i64 } output { 6i64 -7006i64 -1002i64 }
entry places (h: i64) (w: i64) =
  let xs = tabulate (h * w) (at h w)
  let last = if length xs > 21 then xs[21] - 980 else if length xs > 1 then xs[1] else 0
  in (length xs, i64.sum xs, last)

-- A width that is no product: its last row is not whole.
-- ==
-- entry: rows_of
-- input { 41i64 20i64 } output { 22380i64 }
-- input { 40i64 20i64 } output { 20380i64 }
-- input { 5i64 20i64 } output { 10i64 }
-- input { 5i64 -20i64 } output { -4070i64 }
entry rows_of (n: i64) (w: i64) = i64.sum (tabulate n (at n w))

-- Sizes of arrays, which are not negative: products of matrices and of a vector with itself.
-- ==
-- entry: product
-- input { [[1f64, 2f64], [3f64, 4f64], [5f64, 6f64]] [[1f64, 0f64, 2f64], [0f64, 1f64, 3f64]] }
-- output { [1f64, 2f64, 8f64, 3f64, 4f64, 18f64, 5f64, 6f64, 28f64] }
-- input { empty([0][2]f64) [[1f64, 0f64, 2f64], [0f64, 1f64, 3f64]] } output { empty([0]f64) }
entry product [n][m][k] (a: [n][k]f64) (b: [k][m]f64) : []f64 =
  map (\p -> let i = p / m let j = p % m in f64.sum (map2 (*) a[i] b[:, j])) (iota (n * m))

-- ==
-- entry: squares
-- input { [1i64, 2i64, 3i64] } output { [1i64, 2i64, 3i64, 2i64, 4i64, 6i64, 3i64, 6i64, 9i64] 36i64 }
-- input { empty([0]i64) } output { empty([0]i64) 0i64 }
entry squares [n] (xs: [n]i64) : ([]i64, i64) =
  let both = tabulate (n * n) (\p -> xs[p // n] * xs[p %% n])
  in (both, i64.sum (tabulate (n * n) (\p -> xs[p / n] * xs[p - p / n * n])))

-- Three dimensions, by quotients and remainders of each.
-- ==
-- entry: boxes
-- input { 2i64 3i64 17i64 } output { 102i64 142545i64 }
-- input { 2i64 3i64 20i64 } output { 120i64 172020i64 }
-- input { 2i64 17i64 3i64 } output { 102i64 635919i64 }
-- input { -1i64 -2i64 3i64 } output { 6i64 -7076i64 }
entry boxes (h: i64) (w: i64) (d: i64) =
  let xs = tabulate (h * w * d) (\p -> (p / (w * d)) * 1000 + ((p / d) % w) * 700 + p % d * 9 + (p % (w * d)) * 3 + p)
  in (length xs, i64.sum xs)

-- ==
-- entry: box_sizes
-- input { [[[1i64, 2i64], [3i64, 4i64]], [[5i64, 6i64], [7i64, 8i64]]] } output { [11i64, 22i64, 33i64, 44i64, 55i64, 66i64, 77i64, 88i64] }
entry box_sizes [n][m][k] (xs: [n][m][k]i64) : []i64 =
  let flat = flatten (flatten xs)
  in map2 (\p x -> 10 * xs[p / (m * k), (p / k) % m, p % k] + x) (iota (n * m * k)) (flat :> [n * m * k]i64)

-- Constant rows, and remainders alone.
-- ==
-- entry: constants
-- input { 3i64 } output { 3630i64 288i64 }
-- input { 0i64 } output { 0i64 0i64 }
entry constants (n: i64) =
  (i64.sum (tabulate (n * 20) (\p -> (p / 20) * 51 + p % 20)),
   i64.sum (tabulate (24 * 64) (\p -> if p / 64 < n then p % 4 else 0)))

-- ==
-- entry: repeated
-- input { 3i64 [1i64, 5i64] } output { [1i64, 5i64, 1i64, 5i64, 1i64, 5i64] }
entry repeated [n] (k: i64) (xs: [n]i64) : []i64 = tabulate (k * n) (\p -> xs[p % n])

-- Inside of other maps and loops, with updates of places.
-- ==
-- entry: inside
-- input { [[1i64, 2i64], [3i64, 4i64]] 2i64 } output { [[1i64, 3i64, 2i64, 4i64], [3i64, 5i64, 4i64, 6i64]] [10i64, 14i64, 10i64, 14i64] }
entry inside [n] (xss: [n][2]i64) (k: i64) =
  let rows = map (\xs -> tabulate (n * 2) (\p -> xs[p / n] + (p % n) * 2)) xss
  let added = loop ys = replicate (n * 2) 0 for i < k do
    reduce_by_index (copy ys) (+) 0 (tabulate (n * 2) (\p -> (p % n) * 2 + p / n)) (tabulate (n * 2) (\p -> xss[p % n, p / n] + i))
  let sums = map (\p -> added[p % 2] + added[2 + p % 2]) (iota (n * 2))
  in (rows, sums)

-- Derivatives, which are those of nested maps.
def flat_product [n][m][k] (a: [n][k]f64) (b: [k][m]f64) =
  map (\p -> f64.sum (map2 (*) a[p / m] b[:, p % m])) (iota (n * m))
def nested_product [n][m][k] (a: [n][k]f64) (b: [k][m]f64) =
  flatten (map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a)

-- ==
-- entry: gradients
-- input { [[1f64, 2f64], [3f64, 4f64], [5f64, 6f64]] [[1f64, 0f64, 2f64], [0f64, 1f64, 3f64]] } output { true }
entry gradients [n][m][k] (a: [n][k]f64) (b: [k][m]f64) =
  let seed = tabulate (n * m) (\p -> f64.i64 p)
  let (da, db) = vjp (\(a, b) -> flat_product a b) (a, b) seed
  let (ea, eb) = vjp (\(a, b) -> nested_product a b) (a, b) seed
  in and (map2 (==) (flatten da) (flatten ea)) && and (map2 (==) (flatten db) (flatten eb))

-- ==
-- entry: blur_gradient
-- input { 2i64 20i64 } output { 1f64 1.25f64 1f64 }
-- input { 3i64 4i64 } output { 1.25f64 1.5f64 1f64 }
entry blur_gradient (h: i64) (w: i64) =
  let blur (xs: [h * w]f64) = tabulate (h * w) (\p ->
    let i = p / w
    let j = p % w
    let at a b = if a < 0 || a >= h || b < 0 || b >= w then 0 else xs[a * w + b]
    in 0.5 * at i j + 0.25 * (at (i - 1) j + at (i + 1) j + at i (j - 1) + at i (j + 1)))
  let g = vjp blur (replicate (h * w) 1) (replicate (h * w) 1)
  in (g[w], g[w + 1], g[0])
