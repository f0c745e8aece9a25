-- The formats of prelude/lib/sparse: derivatives with respect to values and to what they are multiplied with, which must agree with
-- finite differences and in all nestings. Against dense matrices: tests/conformance/library_sparse.fut.
import "/prelude/lib/sparse"

-- Row 1 is empty, (2, 0) has two entries.
def matrix (v: [5]f64): coo [5] = {rows = [2, 0, 3, 2, 2], columns = [0, 1, 1, 0, 2], values = v}

-- ad: by_coordinates { [1.0, 2.0, 3.0, 4.0, 5.0] [0.5, -1.0, 2.0] }
def by_coordinates (v: [5]f64, x: [3]f64) = coo.spmv 4 (matrix v) x

-- ad: by_rows { [1.0, 2.0, 3.0, 4.0, 5.0] [0.5, -1.0, 2.0] }
def by_rows (v: [5]f64, x: [3]f64) = csr.spmv (csr.from_coo 4 (matrix v)) x

-- ad: by_columns { [1.0, 2.0, 3.0, 4.0, 5.0] [0.5, -1.0, 2.0] }
def by_columns (v: [5]f64, x: [3]f64) = csc.spmv 4 (csc.from_coo 3 (matrix v)) x

-- ad: by_some_rows { [1.0, 2.0, 3.0, 4.0, 5.0] [0.5, -1.0, 2.0] }
def by_some_rows (v: [5]f64, x: [3]f64) = dcsr.spmv 4 (dcsr.from_coo 4 (matrix v)) x

-- ad: products { [1.0, 2.0, 3.0, 4.0, 5.0] [[0.5, -1.0], [2.0, 1.5], [3.0, 0.1]] }
def products (v: [5]f64, b: [3][2]f64) =
  let a = matrix v
  in (csr.spmm (csr.from_coo 4 a) b, coo.spmm 4 a b, csc.spmm 4 (csc.from_coo 3 a) b, dcsr.spmm 4 (dcsr.from_coo 4 a) b)

-- ad: transposed { [1.0, 2.0, 3.0, 4.0, 5.0] [0.5, -1.0, 2.0, 1.0] }
def transposed (v: [5]f64, x: [4]f64) =
  let a = csr.map_values f64.sin (csr.from_coo 4 (matrix v))
  in csr.spmv (csr.transpose 3 a) x

-- ad: dense { [1.0, 2.0, 3.0, 4.0, 5.0] }
def dense (v: [5]f64) = csc.to_dense 4 (csc.map_values (** 2) (csc.from_coo 3 (matrix v)))

-- The entries of a matrix that is given densely: those that are not zero.
-- ad: entries { [[1.0, 4.0, 2.0], [5.0, -1.0, 1.0], [0.1, 3.0, 0.5]] [0.5, -1.0, 2.0] }
def entries (a: [3][3]f64, x: [3]f64) =
  csr.spmv (csr.from_dense (tabulate_2d 3 3 (\i j -> if (i + j) % 2 == 0 then a[i, j] else 0))) x

-- ad: on_the_left { [1.0, 2.0, 3.0, 4.0, 5.0] [0.5, -1.0, 2.0, 0.1] }
def on_the_left (v: [5]f64, x: [4]f64) =
  let a = matrix v
  in (csr.vspm 3 x (csr.from_coo 4 a), coo.vspm 3 x a, csc.vspm x (csc.from_coo 3 a), dcsr.vspm 3 x (dcsr.from_coo 4 a))

-- Of two sparse matrices; the second has another pattern.
def other (v: [4]f64): coo [4] = {rows = [1, 0, 2, 1], columns = [1, 0, 0, 3], values = v}

-- ad: added { [1.0, 2.0, 3.0, 4.0, 5.0] [0.5, -1.0, 2.0, 0.1] }
def added (v: [5]f64, u: [4]f64) =
  let b = csr.from_coo 4 (coo.transpose (other u))
  in csr.to_dense 3 (csr.add 3 (csr.from_coo 4 (matrix v)) (csr.map_values f64.sin b))

-- ad: of_products { [1.0, 2.0, 3.0, 4.0, 5.0] [0.5, -1.0, 2.0, 0.1] }
def of_products (v: [5]f64, u: [4]f64) =
  let ab = csr.spgemm 4 (csr.from_coo 4 (matrix v)) (csr.from_coo 3 (other u))
  in csr.spmv (csr.map_values (** 2) ab) [1, 2, -1, 0.5]
