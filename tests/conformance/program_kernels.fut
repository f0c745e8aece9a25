-- Small kernels of every shape: neighbours on a torus, shortest paths, histograms over one input, a nearest centre
-- and the gradient of its cost.

-- ==
-- entry: life
-- input { 3i64 [[0i32, 1i32, 0i32, 0i32], [0i32, 0i32, 1i32, 0i32], [1i32, 1i32, 1i32, 0i32], [0i32, 0i32, 0i32, 0i32], [0i32, 0i32, 0i32, 1i32]] }
-- output { [[1i32, 1i32, 0i32, 1i32], [0i32, 1i32, 0i32, 0i32], [0i32, 0i32, 0i32, 0i32], [0i32, 0i32, 0i32, 0i32], [0i32, 1i32, 0i32, 0i32]] }
entry life [n][m] (k: i64) (a: [n][m]i32): [n][m]i32 =
  loop a for _i < k do
    tabulate_2d n m (\i j ->
      let at di dj = a[(i + di) % n, (j + dj) % m]
      let s = at (-1) (-1) + at (-1) 0 + at (-1) 1 + at 0 (-1) + at 0 1 + at 1 (-1) + at 1 0 + at 1 1
      in if s == 3 || (s == 2 && a[i, j] == 1) then 1 else 0)

-- ==
-- entry: shortest
-- input { [[0.0, 3.0, f64.inf, 7.0], [8.0, 0.0, 2.0, f64.inf], [5.0, f64.inf, 0.0, 1.0], [2.0, f64.inf, f64.inf, 0.0]] }
-- output { [[0.0, 3.0, 5.0, 6.0], [5.0, 0.0, 2.0, 3.0], [3.0, 6.0, 0.0, 1.0], [2.0, 5.0, 7.0, 0.0]] }
entry shortest [n] (d: [n][n]f64): [n][n]f64 =
  loop d for k < n do map (\r -> map2 (\x y -> f64.min x (r[k] + y)) r d[k]) d

-- ==
-- entry: histograms
-- input { 4i64 [7i64, 3i64, 9i64, 4i64, 0i64, 11i64] [0.5, 2.5, -1.5, 8.25, 3.0, 1.0] }
-- output { [11.25, -1.5, 0.0, 4.0] [8i32, 0i32, 0i32, 2i32] [5.0, 16.5, -1.0, -1.0] }
-- input { 2i64 empty([0]i64) empty([0]f64) }
-- output { [0.0, 0.0] [0i32, 0i32] [-1.0, -1.0] }
entry histograms [n] (k: i64) (is: [n]i64) (vs: [n]f64): ([k]f64, [k]i32, [k]f64) =
  (reduce_by_index (replicate k 0) (+) 0 (map (% k) is) vs,
   reduce_by_index (replicate k 0) i32.max 0 (map (% k) is) (map i32.f64 vs),
   scatter (replicate k (-1)) (map (\i -> i - 3) is) (map (* 2) vs))

-- ==
-- entry: heat
-- input { 4i64 [0.0, 1.0, 4.0, 2.0, 8.0] }
-- output { [0.0, 1.4296875, 3.0625, 5.2421875, 8.0] }
entry heat [n] (k: i64) (u: [n]f64): [n]f64 =
  loop u for _i < k do
    map (\i -> if i == 0 || i == n - 1 then u[i] else u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1])) (iota n)

def cost [n][k][d] (ps: [n][d]f64) (cs: [k][d]f64): f64 =
  f64.sum (map (\p -> f64.minimum (map (\c -> f64.sum (map2 (\x y -> (x - y) * (x - y)) p c)) cs)) ps)

-- ==
-- entry: nearest
-- input { [[0.0, 0.0], [3.0, 1.0], [1.5, 2.0], [4.0, 0.0]] [[0.5, 0.25], [2.0, 1.0], [9.0, 9.0]] }
-- output { 7.5625 [[1.0, 0.5], [-5.0, 0.0], [0.0, 0.0]] }
entry nearest [n][k][d] (ps: [n][d]f64) (cs: [k][d]f64): (f64, [k][d]f64) =
  (cost ps cs, vjp (cost ps) cs 1)

-- ==
-- entry: largest
-- input { [1.0, -4.0, 3.0] 0.5 }
-- output { 4.0 [8.0, -2.0, 0.0] 16.0 }
entry largest [n] (xs: [n]f64) (a: f64): (f64, [n]f64, f64) =
  let f (xs, a) = let ys = map (\x: f64 -> a * x * x) xs in f64.maximum ys * ys[0]
  in let (g, h) = vjp f (xs, a) 1 in (f (xs, a), g, h)
