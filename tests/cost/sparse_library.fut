-- Products with sparse matrices and their derivatives cost what the entries cost: at a fixed size with four times the entries, and with
-- the same entries in a matrix that is larger in the other direction.
import "/prelude/lib/sparse"
import "/prelude/lib/derivatives"

-- w entries in each of n rows of m elements.
def matrix (n: i64) (m: i64) (w: i64) =
  {begins = tabulate (n + 1) (* w), columns = tabulate (n * w) (\at -> 7 * at % m), values = replicate (n * w) 1f64}

-- cost: product 4 < 200i64 200i64 4i64 | 200i64 200i64 16i64
-- cost: product 1 < 20i64 200i64 100i64 | 20i64 400i64 100i64
-- cost: product < 100i64 100i64 8i64: by_values 4
-- cost: product < 100i64 100i64 8i64: by_vector 4
entry product (n: i64) (m: i64) (w: i64) = csr.spmv (matrix n m w) (replicate m 1)

-- cost: by_values 4 < 200i64 200i64 4i64 | 200i64 200i64 16i64
-- cost: by_values 1 < 20i64 200i64 100i64 | 20i64 400i64 100i64
entry by_values (n: i64) (m: i64) (w: i64) =
  let a = matrix n m w
  in vjp (\v -> csr.spmv (a with values = v) (replicate m 1)) a.values (replicate n 1)

-- cost: by_vector 4 < 200i64 200i64 4i64 | 200i64 200i64 16i64
-- cost: by_vector 1 < 20i64 200i64 100i64 | 20i64 400i64 100i64
entry by_vector (n: i64) (m: i64) (w: i64) = vjp (csr.spmv (matrix n m w)) (replicate m 1) (replicate n 1)

-- The second derivative of the sum of squares, in the direction of all values.
-- cost: second 4 < 200i64 200i64 4i64 | 200i64 200i64 16i64
entry second (n: i64) (m: i64) (w: i64) =
  let a = matrix n m w
  let f v = f64.sum (map (** 2) (csr.spmv (a with values = v) (replicate m 1)))
  in jvp (\v -> vjp f v 1) a.values (map (* 0.5) a.values)

-- cost: columns 4 < 200i64 200i64 4i64 | 200i64 200i64 16i64
entry columns (n: i64) (m: i64) (w: i64) =
  let a = matrix n m w
  in vjp (\v -> csc.spmv m {begins = a.begins, rows = a.columns, values = v} (replicate n 1)) a.values (replicate m 1)

-- cost: empty_rows 1 < 100i64 100i64 | 100i64 400i64
entry empty_rows (r: i64) (m: i64) =
  let a = matrix r m 8
  in vjp (\v -> f64.sum (dcsr.spmv r {rows = iota r, begins = a.begins, columns = a.columns, values = v} (replicate m 1))) a.values 1

-- The sum of a Jacobian costs its entries, and not its elements.
-- cost: jacobian 2 < 100i64 100i64 3i64 | 200i64 200i64 3i64
-- cost: jacobian 4 < 100i64 100i64 3i64 | 100i64 100i64 12i64
entry jacobian (n: i64) (m: i64) (w: i64) = f64.sum (flatten (jacfwd (csr.spmv (matrix n m w)) (replicate m 1)))

-- A product of two sparse matrices costs the products of entries, and so does its derivative; a sum costs the entries.
-- cost: of_two 2 < 200i64 200i64 4i64 | 400i64 400i64 4i64
-- cost: of_two 4 < 200i64 200i64 4i64 | 200i64 200i64 8i64
-- cost: of_two < 200i64 200i64 4i64: of_two_by_values 2
entry of_two (n: i64) (m: i64) (w: i64) = (csr.spgemm m (matrix n m w) (matrix m m w)).values
entry of_two_by_values (n: i64) (m: i64) (w: i64) =
  let a = matrix n m w
  in vjp (\v -> f64.sum (csr.spgemm m (a with values = v) (matrix m m w)).values) a.values 1
-- cost: sum 2 < 200i64 200i64 4i64 | 400i64 400i64 4i64
-- cost: sum 2 < 200i64 200i64 4i64 | 200i64 200i64 8i64
entry sum (n: i64) (m: i64) (w: i64) = (csr.add m (matrix n m w) (matrix n m (2 * w))).values

-- Programs for a dense matrix, where it comes from a sparse format: they cost the entries, and so do their derivatives.
def dense (n: i64) (m: i64) (w: i64) = csr.to_dense m (matrix n m w)
def dot [n] (a: [n]f64) (b: [n]f64): f64 = f64.sum (map2 (*) a b)
-- cost: rows 2 < 100i64 100i64 4i64 | 200i64 200i64 4i64
-- cost: rows 4 < 100i64 100i64 4i64 | 100i64 100i64 16i64
entry rows (n: i64) (m: i64) (w: i64) = map (\r -> dot r (replicate m 2)) (dense n m w)
-- cost: columns_of 2 < 100i64 100i64 4i64 | 200i64 200i64 4i64
entry columns_of (n: i64) (m: i64) (w: i64) = map (\c -> dot c (replicate n 2)) (transpose (dense n m w))
-- cost: by_places 2 < 100i64 100i64 4i64 | 200i64 200i64 4i64
entry by_places (n: i64) (m: i64) (w: i64) =
  let (a, x) = (dense n m w, map f64.i64 (iota m))
  in tabulate n (\i -> f64.sum (tabulate m (\j -> a[i, j] * x[j])))
-- cost: dense_gradient 2 < 100i64 100i64 4i64 | 200i64 200i64 4i64
entry dense_gradient (n: i64) (m: i64) (w: i64) =
  let f x v = f64.sum (map (\r -> (dot r x - 1) ** 2) (csr.to_dense m (matrix n m w with values = v)))
  in vjp (\(x, v) -> f x v) (replicate m 2, (matrix n m w).values) 1
