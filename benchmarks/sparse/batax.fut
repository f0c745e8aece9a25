-- batax.fut - b A^T A x with sparse A, and its transposed derivative.

import "../input"
import "/prelude/lib/sparse"
import "csr"

def product [r] [k] [n] (beta: f64) (a: csr [r] [k]) (x: [n]f64): [n]f64 =
  map (beta *) (csr.vspm n (csr.spmv a x) a)

def instance (n: i64) (density: f64) = (synthetic n density, fill (uniform 105) n)

entry inputs (n: i64) (density: f64) =
  let (a, x) = instance n density
  in (a.begins, a.columns, a.values, x)

entry calculate_objective [r] [k] [n] (begins: [r]i64) (columns: [k]i64) (values: [k]f64) (x: [n]f64): [n]f64 =
  product 1.5 (matrix begins columns values) x
entry calculate_jacobian [r] [k] [n] (begins: [r]i64) (columns: [k]i64) (values: [k]f64) (x: [n]f64): [n]f64 =
  vjp (product 1.5 (matrix begins columns values)) x (replicate n 1)

entry check (n: i64) (density: f64): (i64, f64, f64, f64) =
  let (a, x) = instance n density
  let (f, ones, cosines) = check_of (contract (product 1.5 a x)) (vjp (product 1.5 a) x (tabulate n (\j -> 1 / f64.i64 (1 + j))))
  in (length a.values, f, ones, cosines)
-- ==
-- entry: check
-- input { 8i64 0.3 } output { 22i64 1.7092683219238 7.44841873908 -0.122724043913 }
