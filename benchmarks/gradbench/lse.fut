-- lse.fut - logarithm of a sum of exponentials.

import "../input"

def logsumexp [n] (x: [n]f64): f64 =
  let top = f64.maximum x
  in top + f64.log (f64.sum (map (\v -> f64.exp (v - top)) x))

def gradient [n] (x: [n]f64): [n]f64 = vjp logsumexp x 1

entry inputs (n: i64): []f64 = fill (uniform 41) n

entry calculate_objective [n] (x: [n]f64): f64 = logsumexp x
entry calculate_jacobian [n] (x: [n]f64): [n]f64 = gradient x

-- == entry: calculate_objective
-- input { [0.0, 1.0, 2.0] } output { 2.4076059644443806 }

-- == entry: calculate_jacobian
-- input { [0.0, 1.0, 2.0] } output { [0.0900305731703805, 0.244728471054798, 0.665240955774822] }

entry check (n: i64): (f64, f64, f64) =
  let x = map (\u -> 6 * u - 3) (fill (uniform 41) n)
  in check_of (logsumexp x) (gradient x)
-- ==
-- entry: check
-- input { 10i64 } output { 3.38703472325408 1.0 -0.142619066856 }

-- Tapeflow's logsum: the same function of pi / (i + 1).
entry check_logsum (n: i64): (f64, f64, f64) =
  let x = tabulate n (\i -> f64.pi / f64.i64 (i + 1))
  in check_of (logsumexp x) (gradient x)
-- ==
-- entry: check_logsum
-- input { 1000i64 } output { 6.95387031856154 1.0 0.02229861625 }
