-- mttkrp.fut - a three-dimensional tensor times the Khatri-Rao product of two matrices.

import "../input"

def product [i] [k] [l] [r] (b: [i][k][l]f64, c: [k][r]f64, d: [l][r]f64): [i][r]f64 =
  map (\slice ->
    tabulate r (\j ->
      f64.sum (map2 (\row ck -> ck[j] * f64.sum (map2 (\v dl -> v * dl[j]) row d)) slice c))) b

def derivatives [i] [k] [l] [r] (p: ([i][k][l]f64, [k][r]f64, [l][r]f64)) (seed: [i][r]f64) = vjp product p seed

def instance (i: i64) (k: i64) (l: i64) (r: i64) =
  (fill_3d (uniform 73) i k l, fill_2d (uniform 74) k r, fill_2d (uniform 75) l r)

entry inputs (i: i64) (k: i64) (l: i64) (r: i64) = instance i k l r

entry calculate_objective [i] [k] [l] [r] (b: [i][k][l]f64) (c: [k][r]f64) (d: [l][r]f64): [i][r]f64 = product (b, c, d)
entry calculate_jacobian [i] [k] [l] [r] (b: [i][k][l]f64) (c: [k][r]f64) (d: [l][r]f64) =
  derivatives (b, c, d) (replicate i (replicate r 1))

entry check (i: i64) (k: i64) (l: i64) (r: i64): (f64, f64, f64) =
  let p = instance i k l r
  let (gb, gc, gd) = derivatives p (tabulate_2d i r (\a j -> 1 / f64.i64 (1 + a * r + j)))
  in check_of (contract (flatten (product p))) (flatten_3d gb ++ flatten gc ++ flatten gd)
-- ==
-- entry: check
-- input { 4i64 5i64 6i64 3i64 } output { 9.97978344993051 62.8427489833 -1.70908172252 }
