-- micro.fut - small kernels, differentiated with respect to their first argument: inner product, sum and multiple of vectors,
-- matrix times vector, vector times matrix, matrix times matrix. Seeds are 1.

import "../input"

def dot [n] (a: [n]f64) (b: [n]f64): f64 = f64.sum (map2 (*) a b)
def vecadd [n] (a: [n]f64) (b: [n]f64): [n]f64 = map2 (+) a b
def vecscale [n] (a: f64) (b: [n]f64): [n]f64 = map (a *) b
def matvec [n] [m] (a: [n][m]f64) (x: [m]f64): [n]f64 = map (dot x) a
def vecmat [n] [m] (x: [n]f64) (a: [n][m]f64): [m]f64 = map (dot x) (transpose a)
def matmul [n] [m] [k] (a: [n][m]f64) (b: [m][k]f64): [n][k]f64 = map (\row -> map (dot row) (transpose b)) a

def vector (s: u64) (n: i64) = fill (uniform s) n
def matrix (s: u64) (n: i64) (m: i64) = fill_2d (uniform s) n m

entry vectors (n: i64) = (vector 111 n, vector 112 n)
entry scaled (n: i64) = (uniform 111 0, vector 112 n)
entry matrix_vector (n: i64) = (matrix 111 n n, vector 112 n)
entry vector_matrix (n: i64) = (vector 111 n, matrix 112 n n)
entry matrices (n: i64) = (matrix 111 n n, matrix 112 n n)

entry dot_objective [n] (a: [n]f64) (b: [n]f64): f64 = dot a b
entry dot_jacobian [n] (a: [n]f64) (b: [n]f64): [n]f64 = vjp (\a -> dot a b) a 1
entry vecadd_objective [n] (a: [n]f64) (b: [n]f64): [n]f64 = vecadd a b
entry vecadd_jacobian [n] (a: [n]f64) (b: [n]f64): [n]f64 = vjp (\a -> vecadd a b) a (replicate n 1)
entry vecscale_objective [n] (a: f64) (b: [n]f64): [n]f64 = vecscale a b
entry vecscale_jacobian [n] (a: f64) (b: [n]f64): f64 = vjp (\a -> vecscale a b) a (replicate n 1)
entry matvec_objective [n] [m] (a: [n][m]f64) (x: [m]f64): [n]f64 = matvec a x
entry matvec_jacobian [n] [m] (a: [n][m]f64) (x: [m]f64): [n][m]f64 = vjp (\a -> matvec a x) a (replicate n 1)
entry vecmat_objective [n] [m] (x: [n]f64) (a: [n][m]f64): [m]f64 = vecmat x a
entry vecmat_jacobian [n] [m] (x: [n]f64) (a: [n][m]f64): [n]f64 = vjp (\x -> vecmat x a) x (replicate m 1)
entry matmul_objective [n] [m] [k] (a: [n][m]f64) (b: [m][k]f64): [n][k]f64 = matmul a b
entry matmul_jacobian [n] [m] [k] (a: [n][m]f64) (b: [m][k]f64): [n][m]f64 =
  vjp (\a -> matmul a b) a (replicate n (replicate k 1))

def seed (n: i64): [n]f64 = tabulate n (\j -> 1 / f64.i64 (1 + j))

entry check_dot (n: i64) =
  let (a, b) = vectors n
  in check_of (dot a b) (vjp (\a -> dot a b) a 1)
-- ==
-- entry: check_dot
-- input { 8i64 } output { 2.93014347548592 4.75565241783299 0.547862615305405 }

entry check_vecadd (n: i64) =
  let (a, b) = vectors n
  in check_of (contract (vecadd a b)) (vjp (\a -> vecadd a b) a (seed n))
-- ==
-- entry: check_vecadd
-- input { 8i64 } output { 3.42940021049474 2.71785714285714 1.0318906889395 }

entry check_vecscale (n: i64) =
  let (a, b) = scaled n
  in check_of (contract (vecscale a b)) [vjp (\a -> vecscale a b) a (seed n)]
-- ==
-- entry: check_vecscale
-- input { 8i64 } output { 1.55436172610474 1.59669856882325 1.59669856882325 }

entry check_matvec (n: i64) =
  let (a, x) = matrix_vector n
  in check_of (contract (matvec a x)) (flatten (vjp (\a -> matvec a x) a (seed n)))
-- ==
-- entry: check_matvec
-- input { 8i64 } output { 7.69106903780145 12.9251838927532 0.354404932709291 }

entry check_vecmat (n: i64) =
  let (x, a) = vector_matrix n
  in check_of (contract (vecmat x a)) (vjp (\x -> vecmat x a) x (seed n))
-- ==
-- entry: check_vecmat
-- input { 8i64 } output { 6.50897520413903 11.124650525027 2.70053337425579 }

entry check_matmul (n: i64) =
  let (a, b) = matrices n
  in check_of (contract (flatten (matmul a b))) (flatten (vjp (\a -> matmul a b) a (unflatten (seed (n * n)))))
-- ==
-- entry: check_matmul
-- input { 8i64 } output { 11.2479216096754 20.2252144730338 2.23763972010628 }
