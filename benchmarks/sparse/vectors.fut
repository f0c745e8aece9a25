-- vectors.fut - three kernels on vectors: the sum (vva), the inner product (vvd), and a vector times a squared scalar (vsm).

import "../input"

def vva [n] (v: [n]f64) (w: [n]f64): [n]f64 = map2 (+) v w
def vvd [n] (v: [n]f64) (w: [n]f64): f64 = f64.sum (map2 (*) v w)
def vsm [n] (v: [n]f64) (s: f64): [n]f64 = map (\x -> x * s * s) v

entry inputs (n: i64): ([n]f64, [n]f64) = (fill (uniform 105) n, fill (uniform 107) n)

entry calculate_objective [n] (v: [n]f64) (w: [n]f64): f64 = vvd v w
entry calculate_jacobian [n] (v: [n]f64) (w: [n]f64): [n]f64 = vjp (\v -> vvd v w) v 1

-- The whole Jacobian of the sum: the identity.
entry check_vva (n: i64): [n][n]f64 =
  let (v, w) = (fill (uniform 105) n, fill (uniform 107) n)
  in mjp (\v -> vva v w) v (tabulate_2d n n (\i j -> f64.bool (i == j)))
-- ==
-- entry: check_vva
-- input { 3i64 } output { [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] }

entry check_vvd (n: i64): (f64, f64, f64) =
  let (v, w) = (fill (uniform 105) n, fill (uniform 107) n)
  in check_of (vvd v w) (vjp (\v -> vvd v w) v 1)
-- ==
-- entry: check_vvd
-- input { 8i64 } output { 1.40916548275236 4.75904701115 0.340424087403 }

entry check_vsm (n: i64) (s: f64): (f64, f64, f64) =
  let v = fill (uniform 105) n
  in check_of (contract (vsm v s)) [vjp (vsm v) s (tabulate n (\j -> 1 / f64.i64 (1 + j)))]
-- ==
-- entry: check_vsm
-- input { 8i64 1.7 } output { 3.4873298550092 4.10274100589 4.10274100589 }
