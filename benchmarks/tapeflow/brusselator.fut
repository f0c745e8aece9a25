-- brusselator.fut - the right-hand side of a reaction-diffusion equation on a square, clamped at its sides.

import "../input"

def rates [n] (t: f64) (u: [n][n]f64, v: [n][n]f64, a: f64, b: f64, alpha: f64): ([n][n]f64, [n][n]f64) =
  let diffusion = alpha * f64.i64 (n - 1) ** 2
  let low i = i64.max 0 (i - 1)
  let high i = i64.min (n - 1) (i + 1)
  let laplace (y: [n][n]f64) i j = y[low i, j] + y[high i, j] + y[i, low j] + y[i, high j] - 4 * y[i, j]
  let source i j =
    let (x, y) = (f64.i64 i / f64.i64 (n - 1), f64.i64 j / f64.i64 (n - 1))
    in if (x - 0.3) ** 2 + (y - 0.6) ** 2 <= 0.01 && t >= 1.1 then 5 else 0
  let at i j =
    let react = u[i, j] * u[i, j] * v[i, j]
    in (diffusion * laplace u i j + b + react - (a + 1) * u[i, j] + source i j,
        diffusion * laplace v i j + a * u[i, j] - react)
  let both = tabulate_2d n n at
  in (map (map (.0)) both, map (map (.1)) both)

def start (n: i64): ([n][n]f64, [n][n]f64) =
  let bump (factor: f64) (i: i64) = let x = f64.i64 i / f64.i64 (n - 1) in factor * (x * (1 - x)) ** 1.5
  in (tabulate_2d n n (\_ j -> bump 22 j), tabulate_2d n n (\i _ -> bump 27 i))

entry inputs (n: i64) (t: f64) =
  let (u, v) = start n
  in (u, v, 3.4f64, 1f64, 10f64, t)

entry calculate_objective [n] (u: [n][n]f64) (v: [n][n]f64) (a: f64) (b: f64) (alpha: f64) (t: f64): ([n][n]f64, [n][n]f64) =
  rates t (u, v, a, b, alpha)
entry calculate_jacobian [n] (u: [n][n]f64) (v: [n][n]f64) (a: f64) (b: f64) (alpha: f64) (t: f64) =
  vjp (rates t) (u, v, a, b, alpha) (start n)

entry check (n: i64) (t: f64): (f64, f64, f64) =
  let (u, v) = start n
  let (du, dv) = rates t (u, v, 3.4, 1, 10)
  let y = flatten du ++ flatten dv
  let seed k = tabulate_2d n n (\i j -> 1 / f64.i64 (1 + k + i * n + j))
  let (gu, gv, ga, gb, galpha) = vjp (rates t) (u, v, 3.4, 1, 10) (seed 0, seed (n * n))
  in check_of (contract y) (flatten gu ++ flatten gv ++ [ga, gb, galpha])
-- ==
-- entry: check
-- input { 8i64 2.1 } output { 323.257846813892 32.4363292198 -896.580981874 }
