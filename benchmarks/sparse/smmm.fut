-- smmm.fut - the sum of all elements of the product of a sparse matrix and a dense one, which is differentiated.

import "../input"
import "csr"

def objective [r] [nnz] [n] [m] (a: csr [r] [nnz]) (b: [n][m]f64): f64 =
  f64.sum (tabulate (r - 1) (\i -> row_sum a i (\k v -> v * f64.sum b[k])))

def instance (n: i64) (density: f64) = (synthetic n density, fill_2d (uniform 106) n n)

entry inputs (n: i64) (density: f64) =
  let (a, b) = instance n density
  in (a.rows, a.columns, a.values, b)

entry calculate_objective [r] [nnz] [n] [m] (rows: [r]i64) (columns: [nnz]i64) (values: [nnz]f64) (b: [n][m]f64): f64 =
  objective {rows, columns, values} b
entry calculate_jacobian [r] [nnz] [n] [m] (rows: [r]i64) (columns: [nnz]i64) (values: [nnz]f64) (b: [n][m]f64): [n][m]f64 =
  vjp (objective {rows, columns, values}) b 1

entry check (n: i64) (density: f64): (f64, f64, f64) =
  let (a, b) = instance n density
  in check_of (objective a b) (flatten (vjp (objective a) b 1))
-- ==
-- entry: check
-- input { 8i64 0.3 } output { 33.7088907075914 83.5675075514 -4.08336986843 }
