-- somier.fut - a cube of point masses joined by springs, its surface held: energy after some steps.

import "../input"

type vector = (f64, f64, f64)

def objective [n] (steps: i64) (start: [3][n][n][n]f64): f64 =
  let (stiffness, dt) = (10, 0.001)
  let pull (x: [n][n][n]vector) (a: vector) (i: i64) (j: i64) (k: i64): vector =
    let b = x[i, j, k]
    let (dx, dy, dz) = (b.0 - a.0, b.1 - a.1, b.2 - a.2)
    let len = f64.sqrt (dx * dx + dy * dy + dz * dz)
    let f = 0.25 * stiffness * (len - 1) / len
    in (f * dx, f * dy, f * dz)
  let add (a: vector) (b: vector): vector = (a.0 + b.0, a.1 + b.1, a.2 + b.2)
  let force (x: [n][n][n]vector) i j k: vector =
    if i == 0 || j == 0 || k == 0 || i == n - 1 || j == n - 1 || k == n - 1 then (0, 0, 0)
    else let a = x[i, j, k]
         in pull x a (i - 1) j k `add` pull x a (i + 1) j k `add` pull x a i (j - 1) k `add`
            pull x a i (j + 1) k `add` pull x a i j (k - 1) `add` pull x a i j (k + 1)
  let ahead (a: vector) (b: vector): vector = (a.0 + dt * b.0, a.1 + dt * b.1, a.2 + dt * b.2)
  let at_start = map3 (map3 zip3) start[0] start[1] start[2]
  let (x, v) =
    loop (x, v) = (at_start, replicate n (replicate n (replicate n (0, 0, 0)))) for _i < steps do
      let v = tabulate_3d n n n (\i j k -> ahead v[i, j, k] (force x i j k))
      in (map2 (map2 (map2 ahead)) x v, v)
  let squares y = f64.sum (map (\(a, b, c) -> a * a + b * b + c * c) (flatten_3d y))
  in 0.5 * squares v + squares x / f64.i64 (3 * n * n * n)

def gradient [n] (steps: i64) (x: [3][n][n][n]f64): [3][n][n][n]f64 = vjp (objective steps) x 1

-- The lattice, slightly disturbed.
def instance (n: i64): [3][n][n][n]f64 =
  let along (c: i64) =
    tabulate_3d n n n (\i j k ->
      let at = if c == 0 then i else if c == 1 then j else k
      in f64.i64 at + 0.1 * (uniform 76 (((c * n + i) * n + j) * n + k) - 0.5))
  in [along 0, along 1, along 2]

entry inputs (n: i64) (steps: i64) = (instance n, steps)

entry calculate_objective [n] (x: [3][n][n][n]f64) (steps: i64): f64 = objective steps x
entry calculate_jacobian [n] (x: [3][n][n][n]f64) (steps: i64): [3][n][n][n]f64 = gradient steps x

entry check (n: i64) (steps: i64): (f64, f64, f64) =
  let x = instance n
  in check_of (objective steps x) (flatten (flatten_3d (gradient steps x)))
-- ==
-- entry: check
-- input { 5i64 4i64 } output { 6.01178459589755 4.00497281681 -0.148069441666 }
