-- What linear algebra and its derivatives cost.
def dot [n] (a: [n]f64) (b: [n]f64): f64 = f64.sum (map2 (*) a b)
def matmul [n] [m] [k] (a: [n][m]f64) (b: [m][k]f64): [n][k]f64 = map (\r -> map (\c -> dot r c) (transpose b)) a
def matvec [n] [m] (a: [n][m]f64) (x: [m]f64): [n]f64 = map (\r -> dot r x) a

-- Arrays that are not made again where they are used.
def vector (n: i64): [n]f64 = scan (+) 0 (replicate n 1.5)
def table (n: i64) (m: i64): [n][m]f64 = unflatten (vector (n * m))
def tables (n: i64): [n][n][n]f64 = unflatten_3d (vector (n * n * n))

-- The gradient of a product is two products of the same cost, and not the product itself.
-- cost: mm < 40i64: mm_back 2.05
-- cost: mv < 300i64: mv_back 3
-- cost: batched < 12i64: batched_back 2.3
entry mm (n: i64) = matmul (table n n) (table n n)
entry mm_back (n: i64) = vjp (\(a, b) -> matmul a b) (table n n, table n n) (table n n)
entry mv (n: i64) = matvec (table n n) (vector n)
entry mv_back (n: i64) = vjp (\(a, x) -> matvec a x) (table n n, vector n) (vector n)
entry batched (n: i64) = map2 matmul (tables n) (tables n)
entry batched_back (n: i64) = vjp (\(a, b) -> map2 matmul a b) (tables n, tables n) (tables n)

-- That of a chain of two is four products and the inner one; that of a layer two products beside the layer.
-- cost: mm < 40i64: chain_back 5.1
-- cost: layer < 40i64: layer_back 3.1
entry chain_back (n: i64) = vjp (\(a, b, c) -> matmul (matmul a b) c) (table n n, table n n, table n n) (table n n)
def layer_of [n] [m] [k] (w: [n][m]f64) (b: [n]f64) (x: [m][k]f64): [n][k]f64 = map2 (\r c -> map (\v -> f64.tanh (v + c)) r) (matmul w x) b
entry layer (n: i64) = layer_of (table n n) (vector n) (table n n)
entry layer_back (n: i64) = vjp (\(w, b, x) -> layer_of w b x) (table n n, vector n, table n n) (table n n)

-- The return sweep of an elimination reads a row and a column of each of its matrices, not the matrices.
-- counts: eliminated < 20i64: copies 0, bytes 6400, made 25760
def determinant [n] (a: [n][n]f64): f64 =
  let (_, d) = loop (a, d) = (a, 1) for k < n do
    (tabulate_2d n n (\i j -> if i > k then a[i, j] - a[i, k] / a[k, k] * a[k, j] else a[i, j]), d * a[k, k])
  in d
entry eliminated (n: i64) = vjp determinant (tabulate_2d n n (\i j -> if i == j then 2 else 1 / f64.i64 (i + j + 1))) 1

-- Matrix, matrix, vector is two products of a matrix and a vector, and so is its derivative.
-- cost: mmv 4 < 20i64 | 40i64
-- cost: mmv_back 4 < 20i64 | 40i64
-- cost: vmm 4 < 20i64 | 40i64
-- cost: chosen 4 < 40i64 | 80i64
-- cost: six 4 < 20i64 | 40i64
-- cost: same_back 4 < 20i64 | 40i64
entry mmv (n: i64) = matvec (matmul (table n n) (table n n)) (vector n)
entry mmv_back (n: i64) = vjp (\(a, b, v) -> matvec (matmul a b) v) (table n n, table n n, vector n) (vector n)
entry vmm (n: i64) = matvec (transpose (matmul (matmul (table n n) (table n n)) (table n n))) (vector n)
entry six (n: i64) = let t = table n n in matvec (matmul (matmul (matmul (matmul (matmul t (table n n)) t) t) t) t) (vector n)
entry same_back (n: i64) = let a = table n n in vjp (matvec (matmul (matmul a a) a)) (vector n) (vector n)
entry chosen (n: i64) = matmul (matmul (matmul (table n n) (table n n)) (table n n)) (table n 2)

-- A matrix of which one half is zero takes half the work; a band takes as much as it has elements. So do the derivatives in x.
-- cost: full < 100i64: half 0.6
-- cost: full_back < 100i64: half_back 0.6
-- cost: half < 100i64: packed 1
-- cost: band 2 < 200i64 | 400i64
-- cost: band_back 2 < 200i64 | 400i64
def product [n] (inside: i64 -> i64 -> bool) (x: [n]f64): [n]f64 =
  matvec (tabulate_2d n n (\i j -> if inside i j then f64.i64 (i + j) else 0)) x
def back [n] (f: [n]f64 -> [n]f64): [n]f64 = vjp f (vector n) (vector n)
entry full (n: i64) = product (\i j -> i + j >= 0) (vector n)
entry half (n: i64) = product (\i j -> j <= i) (vector n)
entry packed (n: i64) = map (\i -> f64.sum (map (\j -> f64.i64 (i + j)) (iota (i + 1)))) (iota n)
entry band (n: i64) = product (\i j -> i64.abs (i - j) <= 2) (vector n)
entry full_back (n: i64) = back (product (\i j -> i + j >= 0) : [n]f64 -> [n]f64)
entry half_back (n: i64) = back (product (\i j -> j <= i) : [n]f64 -> [n]f64)
entry band_back (n: i64) = back (product (\i j -> i64.abs (i - j) <= 2) : [n]f64 -> [n]f64)

-- So does a triangle or band as a factor of a product of matrices, and so do the gradients in both factors. (It is a loop of three
-- operations for each point, where that reads sums; the product without zeros is a tile of two.)
-- cost: tri_full < 40i64: tri 0.8
-- cost: tri_full_back < 40i64: tri_back 0.6
-- cost: tri_full_back2 < 40i64: tri_back2 0.8
-- cost: band_mm 4 < 40i64 | 80i64
def masked [n] (inside: i64 -> i64 -> bool) (q: [n][n]f64) = tabulate_2d n n (\i j -> if inside i j then q[i, j] else 0)
def mm_masked [n] (inside: i64 -> i64 -> bool) (q: [n][n]f64) (b: [n][n]f64) = matmul (masked inside q) b
entry tri_full (n: i64) = mm_masked (\i j -> i + j >= 0) (table n n) (table n n)
entry tri (n: i64) = mm_masked (\i j -> j <= i) (table n n) (table n n)
entry tri_full_back (n: i64) = vjp (mm_masked (\i j -> i + j >= 0) (table n n)) (table n n) (table n n)
entry tri_back (n: i64) = vjp (mm_masked (\i j -> j <= i) (table n n)) (table n n) (table n n)
entry tri_full_back2 (n: i64) = vjp (\q -> mm_masked (\i j -> i + j >= 0) q (table n n)) (table n n) (table n n)
entry tri_back2 (n: i64) = vjp (\q -> mm_masked (\i j -> j <= i) q (table n n)) (table n n) (table n n)
entry band_mm (n: i64) = mm_masked (\i j -> i64.abs (i - j) <= 2) (table n n) (table n n)

-- Bands that are arrays: of a product the part where both factors are not zero.
-- cost: band_band 4 < 40i64 | 80i64
-- cost: band_chain 4 < 40i64 | 80i64
def banded (n: i64): [n][n]f64 = tabulate_2d n n (\i j -> if i64.abs (i - j) <= 1 then f64.i64 (i + j) else 0)
entry band_band (n: i64) = let b = banded n in matmul b b
entry band_chain (n: i64) = let b = banded n in matmul (matmul b b) b
