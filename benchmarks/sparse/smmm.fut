-- smmm.fut - the sum of all elements of the product of a sparse matrix and a dense one, which is differentiated.

import "../input"
import "/prelude/lib/sparse"
import "csr"

def objective [r] [k] [n] [m] (a: csr [r] [k]) (b: [n][m]f64): f64 = f64.sum (map f64.sum (csr.spmm a b))

def instance (n: i64) (density: f64) = (synthetic n density, fill_2d (uniform 106) n n)

entry inputs (n: i64) (density: f64) =
  let (a, b) = instance n density
  in (a.begins, a.columns, a.values, b)

entry calculate_objective [r] [k] [n] [m] (begins: [r]i64) (columns: [k]i64) (values: [k]f64) (b: [n][m]f64): f64 =
  objective (matrix begins columns values) b
entry calculate_jacobian [r] [k] [n] [m] (begins: [r]i64) (columns: [k]i64) (values: [k]f64) (b: [n][m]f64): [n][m]f64 =
  vjp (objective (matrix begins columns values)) b 1

entry check (n: i64) (density: f64): (f64, f64, f64) =
  let (a, b) = instance n density
  in check_of (objective a b) (flatten (vjp (objective a) b 1))
-- ==
-- entry: check
-- input { 8i64 0.3 } output { 33.7088907075914 83.5675075514 -4.08336986843 }
