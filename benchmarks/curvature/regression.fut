-- regression.fut - logistic regression of m samples of n features: the gradient of its loss, and the derivatives of that in all n
-- directions, a number that is known when the program runs: the Hessian, row by row, or only its trace.

import "../input"

def loss [n] [m] (a: [m][n]f64) (x: [n]f64): f64 =
  f64.sum (map (\row -> f64.log (1 + f64.exp (f64.sum (map2 (*) row x)))) a)
def gradient [n] [m] (a: [m][n]f64) (x: [n]f64): [n]f64 = vjp (loss a) x 1
def unit (n: i64) (i: i64): [n]f64 = tabulate n (\j -> f64.bool (i == j))
def hessian [n] [m] (a: [m][n]f64) (x: [n]f64): [n][n]f64 = map (\i -> jvp (gradient a) x (unit n i)) (iota n)
def trace [n] [m] (a: [m][n]f64) (x: [n]f64): f64 = f64.sum (map (\i -> (jvp (gradient a) x (unit n i))[i]) (iota n))

entry inputs (m: i64) (n: i64): ([m][n]f64, [n]f64) = (fill_2d (normal 261) m n, map (0.3 *) (fill (normal 262) n))
entry calculate_objective [n] [m] (a: [m][n]f64) (x: [n]f64): [n]f64 = gradient a x
entry calculate_jacobian [n] [m] (a: [m][n]f64) (x: [n]f64): [n][n]f64 = hessian a x
entry trace_jacobian [n] [m] (a: [m][n]f64) (x: [n]f64): f64 = trace a x

entry check (m: i64) (n: i64): (f64, f64, f64) =
  let (a, x) = inputs m n
  in check_of (contract (gradient a x)) (map contract (hessian a x))
-- ==
-- entry: check
-- input { 9i64 13i64 } output { 0.525971299869993 11.4797381497097 -1.37938954736464 }

entry check_trace (m: i64) (n: i64): bool =
  let (a, x) = inputs m n
  in f64.abs (trace a x - f64.sum (map (\i -> (hessian a x)[i, i]) (iota n))) < 1e-12 * trace a x
-- ==
-- entry: check_trace
-- input { 9i64 13i64 } output { true }
