-- grids.fut - loops of which C compilers made no vectors: many results, conditions in the middle, edges in a return sweep, flattened windows,
-- functions of sums.

-- Anisotropic diffusion: five arrays from one, and then one from these.
def diffuse [r] [c] (t: f32) (u: [r][c]f32): [r][c]f32 =
  let at i j = u[i64.max 0 (i64.min (r - 1) i), i64.max 0 (i64.min (c - 1) j)]
  let flows =
    tabulate_2d r c (\i j ->
      let x = u[i, j]
      let (n, s, w, e) = (at (i - 1) j - x, at (i + 1) j - x, at i (j - 1) - x, at i (j + 1) - x)
      let k = 1 / (1 + (n * n + s * s + w * w + e * e) / (t * x * x))
      in (n, s, w, e, k))
  in tabulate_2d r c (\i j ->
       let (n, s, w, e, k) = flows[i, j]
       let south = flows[i64.min (r - 1) (i + 1), j].4
       let east = flows[i, i64.min (c - 1) (j + 1)].4
       in u[i, j] + 0.125f32 * (k * n + south * s + k * w + east * e))

-- ==
-- entry: diffusion
-- input { 2i64 [[1f32, 2f32, 4f32], [2f32, 3f32, 5f32]] }
-- output { [[1.1930563f32, 2.3374012f32, 3.8634462f32], [2.0023017f32, 3.1073954f32, 4.496399f32]] }
entry diffusion [r] [c] (steps: i64) (u: [r][c]f32): [r][c]f32 = loop u for _k < steps do diffuse 0.5 u

-- The gradient of a step whose constant is the relative variance of the image, as where speckles are removed; it has many statements.
def despeckle [r] [c] (u: [r][c]f64): [r][c]f64 =
  let mean = f64.sum (flatten u) / f64.i64 (r * c)
  let q = f64.sum (map (\x -> x * x) (flatten u)) / f64.i64 (r * c) / (mean * mean) - 1
  let at i j = u[i64.max 0 (i64.min (r - 1) i), i64.max 0 (i64.min (c - 1) j)]
  let flows =
    tabulate_2d r c (\i j ->
      let x = u[i, j]
      let (n, s, w, e) = (at (i - 1) j - x, at (i + 1) j - x, at i (j - 1) - x, at i (j + 1) - x)
      let slope = (n * n + s * s + w * w + e * e) / (x * x)
      let curve = (n + s + w + e) / x
      let v = (0.5 * slope - curve * curve / 16) / ((1 + 0.25 * curve) * (1 + 0.25 * curve))
      let k = 1 / (1 + (v - q) / (q * (1 + q)))
      in (n, s, w, e, if k < 0 then 0 else if k > 1 then 1 else k))
  in tabulate_2d r c (\i j ->
       let (n, s, w, e, k) = flows[i, j]
       let south = flows[i64.min (r - 1) (i + 1), j].4
       let east = flows[i, i64.min (c - 1) (j + 1)].4
       in u[i, j] + 0.125f64 * (k * n + south * s + k * w + east * e))

-- ==
-- entry: diffusion_gradient
-- input { [[1f64, 2f64, 4f64], [2f64, 3f64, 5f64], [9f64, 2f64, 1f64]] }
-- output { [[4.682519621151685f64, 6.242472234092159f64, 7.821741534353511f64], [6.214036312872724f64, 6.118037904475401f64, 8.616822389411212f64],
--          [13.882148099423251f64, 4.263094394057663f64, 2.5679296825603988f64]] }
entry diffusion_gradient [r] [c] (u: [r][c]f64): [r][c]f64 = vjp (\u -> f64.sum (flatten (map (map (\x -> x * x)) (despeckle u)))) u 1

-- Triangular factors of a matrix, below and above the diagonal of one.
-- ==
-- entry: factors
-- input { [[4f64, 1f64, 2f64], [2f64, 5f64, 1f64], [1f64, 2f64, 6f64]] }
-- output { [[4f64, 1f64, 2f64], [0.5f64, 4.5f64, 0f64], [0.25f64, 0.3888888888888889f64, 5.5f64]] }
entry factors [n] (a: [n][n]f64): [n][n]f64 =
  loop a for k < n do
    let column = map (\i -> if i > k then a[i, k] / a[k, k] else 0) (iota n)
    in tabulate_2d n n (\i j ->
         if i > k && j > k then a[i, j] - column[i] * a[k, j] else if i > k && j == k then column[i] else a[i, j])

-- The same, where what is left of the matrix is a part that is updated.
-- ==
-- entry: factors_in_place
-- input { [[4f64, 1f64, 2f64], [2f64, 5f64, 1f64], [1f64, 2f64, 6f64]] }
-- output { [[4f64, 1f64, 2f64], [0.5f64, 4.5f64, 0f64], [0.25f64, 0.3888888888888889f64, 5.5f64]] }
entry factors_in_place [n] (a: *[n][n]f64): [n][n]f64 =
  loop a for k < n - 1 do
    let column = map (/ a[k, k]) a[k + 1:, k]
    let row = copy a[k, k + 1:]
    let a = a with [k + 1:, k] = copy column
    in a with [k + 1:, k + 1:] = map2 (\c -> map2 (\x y -> y - c * x) row) column a[k + 1:, k + 1:]

-- The gradient of what a plate with fixed edges has lost after some steps.
def heat [n] [m] (steps: i64) (u: [n][m]f64): f64 =
  let u =
    loop u for _k < steps do
      tabulate_2d n m (\i j ->
        if i == 0 || j == 0 || i == n - 1 || j == m - 1
        then u[i, j]
        else u[i, j] + 0.1 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j]) - 0.01 * f64.sin u[i, j])
  in f64.sum (flatten (map (map (\x -> x * x)) u))

-- ==
-- entry: plate
-- input { 2i64 [[1f64, 2f64, 1f64], [0f64, 3f64, 2f64], [1f64, 1f64, 1f64]] }
-- output { [[2f64, 4.601429964817366f64, 2f64], [0.6014299648173658f64, 1.3850375864109465f64, 4.601429964817366f64],
--          [2f64, 2.601429964817366f64, 2f64]] }
entry plate [n] [m] (steps: i64) (u: [n][m]f64): [n][m]f64 = vjp (heat steps) u 1

-- Products with a window of five by five.
-- ==
-- entry: windows
-- input { [[1f32, 2f32, 3f32, 4f32, 5f32, 6f32], [1f32, 0f32, 1f32, 0f32, 1f32, 0f32], [2f32, 2f32, 2f32, 2f32, 2f32, 2f32],
--          [0f32, 1f32, 0f32, 1f32, 0f32, 1f32], [3f32, 1f32, 4f32, 1f32, 5f32, 9f32]] }
-- output { [[527f32, 692f32]] }
entry windows [r] [c] (u: [r][c]f32): [][]f32 =
  let weights = tabulate_2d 5 5 (\i j -> f32.i64 (i * 5 + j))
  in tabulate_2d (r - 4) (c - 4) (\i j -> f32.sum (flatten (map2 (map2 (*)) weights (u[i:i + 5, j:j + 5] :> [5][5]f32))))

-- The mean of the greatest logarithms on paths of a variance that returns to its mean; every fifth step is looked at.
def random (s: u64): (u64, f64) =
  let s = s * 6364136223846793005 + 1442695040888963407
  in (s, f64.u64 (s >> 11) / 9007199254740992)

-- ==
-- entry: paths
-- input { 100i64 } output { 0.09557894790981507f64 }
entry paths (n: i64): f64 =
  let path i =
    let (_, _, _, high) =
      loop (s, x, v, high) = (u64.i64 i * 7919, 0, 0.04, 0) for k < 100 do
        let (s, a) = random s
        let (s, b) = random s
        let size = f64.sqrt (-2 * f64.log (a + 1e-12))
        let (g, h) = (size * f64.cos (2 * f64.pi * b), size * f64.sin (2 * f64.pi * b))
        let w = f64.max v 0
        let x = x - 0.005 * w + 0.1 * f64.sqrt w * g
        let v = v + 0.015 * (0.04 - w) + 0.03 * f64.sqrt w * (0.7 * h - 0.7 * g)
        in (s, x, v, if x > high && i32.i64 k % 5 == 0 then x else high)
    in high
  in f64.sum (map path (iota n)) / f64.i64 n

-- A function of the product of each row with a vector, and the gradient of their sum.
def loss [n] [d] (xs: [n][d]f64) (ys: [n]f64) (w: [d]f64): f64 =
  f64.sum (map2 (\x y -> f64.log (1 + f64.exp (-y * f64.sum (map2 (*) x w)))) xs ys)

-- ==
-- entry: losses
-- input { [[1f64, 2f64], [0f64, 1f64], [3f64, -1f64]] [1f64, -1f64, 1f64] [0.5f64, 0.25f64] } output { 1.3911301887424394f64 }
entry losses [n] [d] (xs: [n][d]f64) (ys: [n]f64) (w: [d]f64): f64 = loss xs ys w

-- ==
-- entry: loss_gradient
-- input { [[1f64, 2f64], [0f64, 1f64], [3f64, -1f64]] [1f64, -1f64, 1f64] [0.5f64, 0.25f64] } output { [-0.9370418378459217f64, 0.2469937969711167f64] }
entry loss_gradient [n] [d] (xs: [n][d]f64) (ys: [n]f64) (w: [d]f64): [d]f64 = vjp (loss xs ys) w 1
