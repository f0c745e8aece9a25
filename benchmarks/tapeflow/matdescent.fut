-- matdescent.fut - the squared length of a matrix-vector product, minimised over the matrix.

import "../input"

def objective [n] [m] (v: [m]f64) (a: [n][m]f64): f64 =
  f64.sum (map (\row -> f64.sum (map2 (*) row v) ** 2) a)

def gradient [n] [m] (v: [m]f64) (a: [n][m]f64): [n][m]f64 = vjp (objective v) a 1

def instance (n: i64) (m: i64) = (fill_2d (uniform 71) n m, fill (uniform 72) m)

entry inputs (n: i64) (m: i64): ([n][m]f64, [m]f64) = instance n m

entry calculate_objective [n] [m] (a: [n][m]f64) (v: [m]f64): f64 = objective v a
entry calculate_jacobian [n] [m] (a: [n][m]f64) (v: [m]f64): [n][m]f64 = gradient v a

entry descend [n] [m] (a: [n][m]f64) (v: [m]f64) (steps: i64): [n][m]f64 =
  loop a for _i < steps do map2 (map2 (\x g -> x - 1e-8 * g)) a (gradient v a)

entry check (n: i64) (m: i64): (f64, f64, f64) =
  let (a, v) = instance n m
  in check_of (objective v a) (flatten (gradient v a))
-- ==
-- entry: check
-- input { 6i64 6i64 } output { 17.7344536949824 65.529157625 14.0849438362 }
