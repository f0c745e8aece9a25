-- prelude/lib/sparse: every format against the dense matrix, and sizes 0.
import "/prelude/lib/sparse"

def multiplied [n] [m] (a: [n][m]f64) (x: [m]f64): [n]f64 = map (\row -> f64.sum (map2 (*) row x)) a

def differ [n] (a: [n]f64) (b: [n]f64): bool = any id (map2 (!=) a b)
def differ_2d [n] [m] (a: [n][m]f64) (b: [n][m]f64): bool = or (map2 differ a b)

-- ==
-- entry: wrong
-- input { [[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 3.0, 4.0], [5.0, 0.0, 0.0]] [1.0, 2.0, 4.0] } output { empty([0]i64) }
-- input { [[0.0, 0.0], [0.0, 0.0]] [1.0, 2.0] } output { empty([0]i64) }
-- input { empty([0][3]f64) [1.0, 2.0, 4.0] } output { empty([0]i64) }
-- input { empty([3][0]f64) empty([0]f64) } output { empty([0]i64) }
entry wrong [n] [m] (a: [n][m]f64) (x: [m]f64): []i64 =
  let c = coo.from_dense a
  let r = csr.from_dense a
  let k = csc.from_dense a
  let d = dcsr.from_dense a
  let y = multiplied a x
  let b = map (\v -> [v, 2 * v, v + 1]) x
  let ab = transpose (map (multiplied a) (transpose b))
  let w = map f64.i64 (iota n)
  let wa = multiplied (transpose a) w
  let tests =
    [ differ_2d a (coo.to_dense n m c), differ_2d a (csr.to_dense m r), differ_2d a (csc.to_dense n k), differ_2d a (dcsr.to_dense n m d),
      differ y (coo.spmv n c x), differ y (csr.spmv r x), differ y (csc.spmv n k x), differ y (dcsr.spmv n d x),
      differ wa (coo.vspm m w c), differ wa (csr.vspm m w r), differ wa (csc.vspm w k), differ wa (dcsr.vspm m w d),
      differ_2d ab (coo.spmm n c b), differ_2d ab (csr.spmm r b), differ_2d ab (csc.spmm n k b), differ_2d ab (dcsr.spmm n d b),
      differ_2d (transpose a) (coo.to_dense m n (coo.transpose c)), differ_2d (transpose a) (csr.to_dense n (csr.transpose m r)),
      differ_2d (transpose a) (csc.to_dense m (csc.transpose n k)), differ_2d (transpose a) (dcsr.to_dense m n (dcsr.transpose m d)),
      differ_2d (map (map (2 *)) a) (csr.to_dense m (csr.map_values (2 *) r)),
      differ_2d (map (map (2 *)) a) (dcsr.to_dense n m (dcsr.map_values (2 *) d)) ]
  in filter (\i -> tests[i]) (indices tests)

-- The gradient of the values has the length of the values; the formats agree on it.
-- ==
-- entry: gradients
-- input { [[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 3.0, 4.0], [5.0, 0.0, 0.0]] [1.0, 2.0, 4.0] [1.0, 10.0, 100.0, 1000.0] }
-- output { [1.0, 4.0, 200.0, 400.0, 1000.0] [1.0, 4.0, 200.0, 400.0, 1000.0] [1.0, 1000.0, 200.0, 4.0, 400.0]
--          [1.0, 4.0, 200.0, 400.0, 1000.0] }
entry gradients [n] [m] (a: [n][m]f64) (x: [m]f64) (w: [n]f64): ([]f64, []f64, []f64, []f64) =
  let c = coo.from_dense a
  let r = csr.from_dense a
  let k = csc.from_dense a
  let d = dcsr.from_dense a
  in (vjp (\v -> coo.spmv n (c with values = v) x) c.values w, vjp (\v -> csr.spmv (r with values = v) x) r.values w,
      vjp (\v -> csc.spmv n (k with values = v) x) k.values w, vjp (\v -> dcsr.spmv n (d with values = v) x) d.values w)

-- Sums and products of two sparse matrices: against dense ones, with one entry for each place.
-- ==
-- entry: of_two
-- input { [[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 3.0, 4.0], [5.0, 0.0, 0.0]] } output { true true true true }
-- input { [[0.0, 0.0], [0.0, 0.0]] } output { true true true true }
-- input { [[2.0]] } output { true true true true }
-- input { empty([0][3]f64) } output { true true true true }
-- input { empty([3][0]f64) } output { true true true true }
entry of_two [n] [m] (a: [n][m]f64): (bool, bool, bool, bool) =
  let b = tabulate_2d n m (\i j -> if (3 * i + j) % 4 == 0 then 0 else a[i, j] + 1)
  let (sa, sb) = (csr.from_dense a, csr.from_dense b)
  let sum = csr.add m sa sb
  let product = csr.spgemm n sa (csr.transpose m sb)
  let twice = coo.add (coo.from_dense a) (coo.from_dense a)
  let dense = map2 (map2 (+)) a b
  let dense_product = map (\row -> map (\other -> f64.sum (map2 (*) row other)) b) a
  let entries = length (filter (\(x, y) -> x != 0 || y != 0) (zip (flatten a) (flatten b)))
  in (!differ_2d dense (csr.to_dense m sum) && length sum.values == entries,
      !differ_2d dense_product (csr.to_dense n product),
      length product.values <= n * n,
      !differ_2d (map (map (2 *)) a) (coo.to_dense n m twice) && length (coo.compact n m twice).values == length sa.values)

-- Programs for a dense matrix that comes from a sparse format, and their gradients by the vector and by the values: against a matrix that is
-- given densely. An entry outside of the matrix has no effect.
-- ==
-- entry: written_densely
-- input { [[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [0.0, 3.0, 4.0], [5.0, 0.0, 0.0]] [1.0, 2.0, 4.0] [1.0, 10.0, 100.0, 1000.0] }
-- output { true true true true true true }
-- input { empty([0][3]f64) [1.0, 2.0, 4.0] empty([0]f64) } output { true true true true true true }
-- input { empty([3][0]f64) empty([0]f64) [1.0, 2.0, 3.0] } output { true true true true true true }
entry written_densely [n] [m] (a: [n][m]f64) (x: [m]f64) (y: [n]f64): (bool, bool, bool, bool, bool, bool) =
  let sparse = coo.from_dense a
  let [k] (entries: coo [k]) =
    {rows = sparse.rows ++ [n, -1, 0], columns = sparse.columns ++ [0, 0, m], values = sparse.values ++ [7, 8, 9]}
  let rows (a: [n][m]f64) (x: [m]f64) = map2 (\row v -> f64.sum (map2 (*) row x) - v) a y
  let columns (a: [n][m]f64) = map (\column -> f64.sum (map2 (\y e -> y * e) y column)) (transpose a)
  let places (a: [n][m]f64) = tabulate m (\j -> f64.sum (tabulate n (\i -> x[j] * a[i, j] * y[i] * f64.i64 (i - 2 * j))))
  let by_vector a = vjp (\x -> f64.sum (map (** 2) (rows (a ()) x))) x 1
  let dense_of v = coo.to_dense n m (entries with values = v)
  let by_values = vjp (\v -> f64.sum (map (** 2) (rows (dense_of v) x))) entries.values 1
  let expected = map2 (\i j -> if i >= 0 && i < n && j < m then 2 * (rows a x)[i] * x[j] else 0) entries.rows entries.columns
  let again = loop z = rows a x for _i < 3i64 do map2 (+) z (map (* 0) (rows (dense_of entries.values) x))
  in (!differ (rows a x) (rows (dense_of entries.values) x), !differ (columns a) (columns (dense_of entries.values)),
      !differ (places a) (places (dense_of entries.values)), !differ (by_vector (\() -> a)) (by_vector (\() -> dense_of entries.values)),
      !differ by_values expected, !differ (rows a x) again)
