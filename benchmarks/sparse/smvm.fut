-- smvm.fut - the sum of all elements of a sparse matrix times a vector, which is differentiated.

import "../input"
import "/prelude/lib/sparse"
import "csr"

def objective [r] [k] [n] (a: csr [r] [k]) (x: [n]f64): f64 = f64.sum (csr.spmv a x)

def instance (n: i64) (density: f64) = (synthetic n density, fill (uniform 105) n)

entry inputs (n: i64) (density: f64) =
  let (a, x) = instance n density
  in (a.begins, a.columns, a.values, x)

entry calculate_objective [r] [k] [n] (begins: [r]i64) (columns: [k]i64) (values: [k]f64) (x: [n]f64): f64 =
  objective (matrix begins columns values) x
entry calculate_jacobian [r] [k] [n] (begins: [r]i64) (columns: [k]i64) (values: [k]f64) (x: [n]f64): [n]f64 =
  vjp (objective (matrix begins columns values)) x 1

entry check (n: i64) (density: f64): (f64, f64, f64) =
  let (a, x) = instance n density
  in check_of (objective a x) (vjp (objective a) x 1)
-- ==
-- entry: check
-- input { 8i64 0.3 } output { 2.41375703291631 10.4459384439 0.0461562256878 }
