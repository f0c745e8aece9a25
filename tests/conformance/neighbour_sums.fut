-- neighbour_sums.fut - loops that add to neighbouring places, as gradients of stencils do: lengths around those of strips.

def smooth [n] (x: [n]f64): [n]f64 =
  tabulate n (\i -> if i >= 1 && i < n - 1 then x[i - 1] * x[i] + 2 * x[i] * x[i + 1] else x[i] * x[i])

-- What vjp must give, as a gather.
def smooth_adjoint [n] (x: [n]f64) (s: [n]f64): [n]f64 =
  let inside i = i >= 1 && i < n - 1
  in tabulate n (\m ->
       (if inside m then s[m] * (x[m - 1] + 2 * x[m + 1]) else 2 * s[m] * x[m])
       + (if inside (m + 1) then s[m + 1] * x[m + 1] else 0)
       + (if inside (m - 1) then 2 * s[m - 1] * x[m - 1] else 0))

def numbers (n: i64) (k: i64): [n]f64 = tabulate n (\i -> f64.i64 ((i * 7 + k) % 11) / 8)
def near (a: f64) (b: f64): bool = f64.abs (a - b) <= 1e-12 * (1 + f64.abs a)

entry lengths (most: i64): bool =
  all id (map (\n -> let x = numbers n 3
                     let s = numbers n 5
                     in and (map2 near (vjp smooth x s) (smooth_adjoint x s))) (iota most))

-- Rows above and below, a time loop, a coefficient for each cell. <s, J v> = <J' s, v>
def heat [n][m] (c: [n][m]f64) (u: [n][m]f64): [n][m]f64 =
  tabulate_2d n m (\i j ->
    if i >= 1 && i < n - 1 && j >= 2 && j < m - 2
    then u[i, j] + 0.1 * c[i, j] * (u[i - 1, j] * u[i + 1, j] - u[i, j - 1] * u[i, j + 2] + u[i, j - 2] - u[i, j + 1])
    else u[i, j])

entry grid (n: i64) (m: i64) (steps: i32): bool =
  let a = unflatten (numbers (n * m) 2)
  let u = unflatten (numbers (n * m) 4)
  let v = (unflatten (numbers (n * m) 1), unflatten (numbers (n * m) 6))
  let s = unflatten (numbers (n * m) 9)
  let f (c: [n][m]f64, u: [n][m]f64) = loop u for _i < steps do heat c u
  let dot (x: [n][m]f64) (y: [n][m]f64) = f64.sum (map2 (*) (flatten x) (flatten y))
  let (dc, du) = vjp f (a, u) s
  in near (dot s (jvp f (a, u) v)) (dot dc v.0 + dot du v.1)

-- Several arrays of f32, with a function that vectors have their own code for; one of them is added to in its own places only.
entry mixed (n: i64): bool =
  let xs = map f32.f64 (numbers n 1)
  let ys = map f32.f64 (numbers n 8)
  let f (xs: [n]f32, ys: [n]f32) =
    tabulate n (\i -> if i >= 2 && i < n - 1 then f32.exp (xs[i - 2] * ys[i]) + xs[i] * xs[i + 1] else ys[i])
  let s = map (\i -> f32.i64 (i % 3)) (iota n)
  let (dx, dy) = vjp f (xs, ys) s
  let inside i = i >= 2 && i < n - 1
  let x' = tabulate n (\m -> (if inside (m + 2) then s[m + 2] * ys[m + 2] * f32.exp (xs[m] * ys[m + 2]) else 0)
                             + (if inside m then s[m] * xs[m + 1] else 0) + (if inside (m - 1) then s[m - 1] * xs[m - 1] else 0))
  let y' = tabulate n (\m -> if inside m then s[m] * xs[m - 2] * f32.exp (xs[m - 2] * ys[m]) else s[m])
  let close (a: f32) (b: f32) = f32.abs (a - b) <= 1e-5 * (1 + f32.abs a)
  in and (map2 close dx x') && and (map2 close dy y')

-- ==
-- entry: lengths
-- input { 90i64 } output { true }

-- ==
-- entry: grid
-- input { 3i64 5i64 1i32 } output { true }
-- input { 5i64 44i64 3i32 } output { true }
-- input { 4i64 100i64 2i32 } output { true }
-- input { 0i64 0i64 2i32 } output { true }

-- ==
-- entry: mixed
-- input { 0i64 } output { true }
-- input { 11i64 } output { true }
-- input { 35i64 } output { true }
-- input { 107i64 } output { true }
