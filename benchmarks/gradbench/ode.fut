-- ode.fut - y' = (x0, x1 y0, x2 y1, ..) from 0 to 2 by s Runge-Kutta steps; gradient of the last output.

import "../input"

def rates [n] (x: [n]f64) (y: [n]f64): [n]f64 =
  tabulate n (\i -> if i == 0 then x[0] else x[i] * y[i - 1])

def solve [n] (s: i64) (x: [n]f64): [n]f64 =
  let h = 2 / f64.i64 s
  let ahead t y k = map2 (\a b -> a + t * b) y k
  in loop y = replicate n 0 for _i < s do
       let k1 = rates x y
       let k2 = rates x (ahead (h / 2) y k1)
       let k3 = rates x (ahead (h / 2) y k2)
       let k4 = rates x (ahead h y k3)
       in map5 (\y a b c d -> y + h / 6 * (a + 2 * b + 2 * c + d)) y k1 k2 k3 k4

def gradient [n] (s: i64) (x: [n]f64): [n]f64 = vjp (\x -> last (solve s x)) x 1

entry inputs (n: i64) (s: i64): ([]f64, i64) = (fill (uniform 44) n, s)

entry calculate_objective [n] (x: [n]f64) (s: i64): [n]f64 = solve s x
entry calculate_jacobian [n] (x: [n]f64) (s: i64): [n]f64 = gradient s x

-- == entry: calculate_objective
-- input { [1.0, 0.5, 0.25] 10i64 } output { [2.0, 1.0, 0.16666666666666667] }

-- == entry: calculate_jacobian
-- input { [1.0, 0.5, 0.25] 10i64 } output { [0.16666666666666667, 0.33333333333333333, 0.66666666666666667] }

entry check_last (n: i64) (s: i64): (f64, f64, f64) =
  let x = fill (uniform 44) n
  in check_of (last (solve s x)) (gradient s x)
-- ==
-- entry: check_last
-- input { 4i64 10i64 } output { 0.112616994319406 0.747256512161 -0.040990903058 }

entry check (n: i64) (s: i64): (f64, f64, f64) =
  let x = fill (uniform 44) n
  in check_of (contract (solve s x)) (vjp (solve s) x (tabulate n (\j -> 1 / f64.i64 (1 + j))))
-- ==
-- entry: check
-- input { 12i64 10i64 } output { 2.64686792725581 4.28574705516 3.16545236126 }
