-- llsq.fut - half the sum of squared differences of a polynomial and the sign function at n places of [-1, 1].

import "../input"

def objective [m] (n: i64) (x: [m]f64): f64 =
  let residual (i: i64) =
    let t = -1 + 2 * f64.i64 i / f64.i64 (n - 1)
    let (value, _) = loop (s, power) = (0, 1) for c in x do (s + c * power, power * t)
    in f64.sgn t - value
  in 0.5 * f64.sum (tabulate n (\i -> residual i ** 2))

def gradient [m] (n: i64) (x: [m]f64): [m]f64 = vjp (objective n) x 1

entry inputs (m: i64) (n: i64): ([]f64, i64) = (fill (uniform 42) m, n)

entry calculate_objective [m] (x: [m]f64) (n: i64): f64 = objective n x
entry calculate_jacobian [m] (x: [m]f64) (n: i64): [m]f64 = gradient n x

-- == entry: calculate_objective
-- input { [0.1, 0.2, 0.3] 5i64 } output { 1.645625 }

-- == entry: calculate_jacobian
-- input { [0.1, 0.2, 0.3] 5i64 } output { [1.25, -2.5, 0.8875] }

entry check (m: i64) (n: i64): (f64, f64, f64) =
  let x = fill (uniform 42) m
  in check_of (objective n x) (gradient n x)
-- ==
-- entry: check
-- input { 4i64 16i64 } output { 11.2807591300514 9.97564027567 10.8867204078 }
