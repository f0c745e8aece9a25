-- | Dense linear algebra over any field, as parametric modules.

import "field"

-- | Vectors and matrices, products, sums and shapes.
module type dense = {
  type t
  val zeros: (n: i64) -> [n]t
  val basis: (n: i64) -> (i: i64) -> [n]t
  val add [n]: [n]t -> [n]t -> [n]t
  val sub [n]: [n]t -> [n]t -> [n]t
  val scale [n]: t -> [n]t -> [n]t
  val axpy [n]: t -> [n]t -> [n]t -> [n]t
  val dot [n]: [n]t -> [n]t -> t
  val outer [n] [m]: [n]t -> [m]t -> [n][m]t
  val cross: [3]t -> [3]t -> [3]t
  val eye: (n: i64) -> [n][n]t
  val todiag [n]: [n]t -> [n][n]t
  val fromdiag [n]: [n][n]t -> [n]t
  val trace [n]: [n][n]t -> t
  val matadd [n] [m]: [n][m]t -> [n][m]t -> [n][m]t
  val matsub [n] [m]: [n][m]t -> [n][m]t -> [n][m]t
  val matscale [n] [m]: t -> [n][m]t -> [n][m]t
  val matvec [n] [m]: [n][m]t -> [m]t -> [n]t
  val vecmat [n] [m]: [n]t -> [n][m]t -> [m]t
  val matmul [n] [m] [p]: [n][m]t -> [m][p]t -> [n][p]t
  val matpow [n]: [n][n]t -> i64 -> [n][n]t
  val kronecker [n] [m] [p] [q]: [n][m]t -> [p][q]t -> [n * p][m * q]t
  val hcat [n] [m] [p]: [n][m]t -> [n][p]t -> [n][m + p]t
  val vcat [n] [m] [p]: [n][m]t -> [p][m]t -> [n + p][m]t
  val block [k] [l]: (n: i64) -> (m: i64) -> [k][l]t -> (i: i64) -> (j: i64) -> [n][m]t
  val upper [n]: [n][n]t -> [n][n]t
  val lower [n]: [n][n]t -> [n][n]t
  val equal [n] [m]: [n][m]t -> [n][m]t -> bool
  val gram [n] [m]: [n][m]t -> [m][m]t
  val bilinear [n] [m]: [n]t -> [n][m]t -> [m]t -> t
}

module mk_dense (F: field) = {
  type t = F.t

  def zeros (n: i64): [n]t = replicate n F.zero

  def basis (n: i64) (i: i64): [n]t =
    tabulate n (\k -> if k == i then F.one else F.zero)

  def add [n] (xs: [n]t) (ys: [n]t): [n]t = map2 (F.+) xs ys

  def sub [n] (xs: [n]t) (ys: [n]t): [n]t = map2 (F.-) xs ys

  def scale [n] (a: t) (xs: [n]t): [n]t = map (a F.*) xs

  def axpy [n] (a: t) (xs: [n]t) (ys: [n]t): [n]t =
    map2 (\x y -> F.(a * x + y)) xs ys

  def sum [n] (xs: [n]t): t = reduce (F.+) F.zero xs

  def product [n] (xs: [n]t): t = reduce (F.*) F.one xs

  def dot [n] (xs: [n]t) (ys: [n]t): t = sum (map2 (F.*) xs ys)

  def outer [n] [m] (xs: [n]t) (ys: [m]t): [n][m]t =
    map (\x -> map (\y -> x F.* y) ys) xs

  def cross (a: [3]t) (b: [3]t): [3]t =
    let part i j = F.(a[i] * b[j] - a[j] * b[i])
    in [part 1 2, part 2 0, part 0 1]

  def eye (n: i64): [n][n]t =
    tabulate_2d n n (\i j -> if i == j then F.one else F.zero)

  def todiag [n] (xs: [n]t): [n][n]t =
    tabulate_2d n n (\i j -> if i == j then xs[i] else F.zero)

  def fromdiag [n] (a: [n][n]t): [n]t = tabulate n (\i -> a[i, i])

  def trace [n] (a: [n][n]t): t = sum (fromdiag a)

  def matmap [n] [m] (f: t -> t) (a: [n][m]t): [n][m]t = map (map f) a

  def matzip [n] [m] (f: t -> t -> t) (a: [n][m]t) (b: [n][m]t): [n][m]t =
    map2 (map2 f) a b

  def matadd [n] [m] (a: [n][m]t) (b: [n][m]t): [n][m]t = matzip (F.+) a b

  def matsub [n] [m] (a: [n][m]t) (b: [n][m]t): [n][m]t = matzip (F.-) a b

  def matscale [n] [m] (x: t) (a: [n][m]t): [n][m]t = matmap (x F.*) a

  def matvec [n] [m] (a: [n][m]t) (x: [m]t): [n]t = map (dot x) a

  def vecmat [n] [m] (x: [n]t) (a: [n][m]t): [m]t = matvec (transpose a) x

  def matmul [n] [m] [p] (a: [n][m]t) (b: [m][p]t): [n][p]t =
    let bt = transpose b
    in map (\row -> map (\col -> dot row col) bt) a

  -- | By repeated squaring.
  def matpow [n] (a: [n][n]t) (e: i64): [n][n]t =
    let (result, _, _) =
      loop (acc: [n][n]t, base: [n][n]t, k) = (eye n, a, e) while k > 0 do
        (if k % 2 == 1 then matmul acc base else acc, matmul base base, k / 2)
    in result

  def kronecker [n] [m] [p] [q] (a: [n][m]t) (b: [p][q]t): [n * p][m * q]t =
    let rows = map (\arow -> map (\brow -> flatten (map (\x -> map (x F.*) brow) arow)) b) a
    in flatten rows

  def hcat [n] [m] [p] (a: [n][m]t) (b: [n][p]t): [n][m + p]t = map2 (++) a b

  def vcat [n] [m] [p] (a: [n][m]t) (b: [p][m]t): [n + p][m]t = a ++ b

  def block (n: i64) (m: i64) (a: [][]t) (i: i64) (j: i64): [n][m]t =
    tabulate_2d n m (\k l -> a[i + k, j + l])

  def upper [n] (a: [n][n]t): [n][n]t =
    tabulate_2d n n (\i j -> if i <= j then a[i, j] else F.zero)

  def lower [n] (a: [n][n]t): [n][n]t =
    tabulate_2d n n (\i j -> if i >= j then a[i, j] else F.zero)

  def equal [n] [m] (a: [n][m]t) (b: [n][m]t): bool =
    and (map2 (\xs ys -> and (map2 (F.==) xs ys)) a b)

  def gram [n] [m] (a: [n][m]t): [m][m]t = matmul (transpose a) a

  def bilinear [n] [m] (x: [n]t) (a: [n][m]t) (y: [m]t): t = dot x (matvec a y)
}

-- | Only what the module type says.
module mk_sealed_dense (F: field): dense with t = F.t = mk_dense F

-- | Exact elimination without comparing sizes of pivots: the first one that is not zero will do.
module mk_exact (F: field) = {
  local module D = mk_dense F
  type t = F.t

  def find_pivot [n] [m] (a: [n][m]t) (col: i64) (from: i64): i64 =
    loop row = from while row < n && a[row, col] F.== F.zero do row + 1

  -- | Reduced row echelon form and rank.
  def rref [n] [m] (a: [n][m]t): ([n][m]t, i64) =
    loop (a, rank) = (copy a, 0) for col < m do
      let row = find_pivot a col rank
      in if rank >= n || row >= n
         then (a, rank)
         else let pivot = F.(map (\x -> x / a[row, col]) a[row])
              let old = copy a[rank]
              let a = a with [row] = old
              let a = a with [rank] = pivot
              let factors = map (\r -> r[col]) a
              let clear i r = if i == rank then r else map2 (\x p -> F.(x - factors[i] * p)) r pivot
              in (map2 clear (iota n) a, rank + 1)

  def rank [n] [m] (a: [n][m]t): i64 = (rref a).1

  -- | The inverse; all zeros if there is none.
  def inverse [n] (a: [n][n]t): [n][n]t =
    let (r, k) = rref (D.hcat a (D.eye n))
    in if k < n then D.matscale F.zero a else D.block n n r 0 n

  -- | By expansion along the first row; only for small matrices.
  def det3 (a: [3][3]t): t =
    let minor i j = F.(a[1, i] * a[2, j] - a[1, j] * a[2, i])
    in F.(a[0, 0] * minor 1 2 - a[0, 1] * minor 0 2 + a[0, 2] * minor 0 1)
}

-- | Factorisations and solvers.
module mk_linalg (F: normed_field) = {
  module dense = mk_dense F
  open dense
  type vector [n] = [n]t
  type matrix [n] [m] = [n][m]t

  def norm2 [n] (xs: vector [n]): t = F.sqrt (dot xs xs)

  def frobenius [n] [m] (a: matrix [n] [m]): t = norm2 (flatten a)

  -- | The place and size of the largest entry.
  def argmax [n] (ms: [n]F.m): (i64, F.m) =
    let pick (i, x) (j, y) =
      if i < 0 then (j, y)
      else if j < 0 then (i, x)
      else if F.larger y x then (j, y) else (i, x)
    in reduce pick (-1, F.null) (zip (iota n) ms)

  -- | Solves l x = b for lower triangular l.
  def forward_subst [n] (l: matrix [n] [n]) (b: vector [n]): vector [n] =
    loop x = zeros n for i < n do
      let s = dot l[i, :i] x[:i]
      in copy x with [i] = F.((b[i] - s) / l[i, i])

  -- | Solves u x = b for upper triangular u.
  def back_subst [n] (u: matrix [n] [n]) (b: vector [n]): vector [n] =
    loop x = zeros n for k < n do
      let i = n - 1 - k
      let s = dot u[i, i + 1:n] x[i + 1:n]
      in copy x with [i] = F.((b[i] - s) / u[i, i])

  type lu [n] = {lower: [n][n]t, upper: [n][n]t, perm: [n]i64, sign: t}

  -- | Partial pivoting: rows of a in the order `perm` are lower times upper.
  def lu [n] (a: matrix [n] [n]): lu [n] =
    let (a, perm, sign) =
      loop (a: *[n][n]t, perm: *[n]i64, sign) = (copy a, iota n, F.one) for k < n do
        let (best, _) = argmax (tabulate n (\i -> if i < k then F.null else F.magnitude a[i, k]))
        let p = if best < k then k else best
        let row_k = copy a[k]
        let row_p = copy a[p]
        let perm_k = perm[k]
        let perm_p = perm[p]
        let a = a with [p] = row_k
        let a = a with [k] = row_p
        let perm = perm with [p] = perm_k
        let perm = perm with [k] = perm_p
        let sign = if p == k then sign else F.neg sign
        let eliminate i (row: [n]t): [n]t =
          if i <= k then row
          else let f = F.(row[k] / row_p[k])
               in map2 (\j x -> if j < k then x else if j == k then f else F.(x - f * row_p[j])) (iota n) row
        in (map2 eliminate (iota n) a, perm, sign)
    let unit_lower = tabulate_2d n n (\i j -> if i == j then F.one else if i > j then a[i, j] else F.zero)
    in {lower = unit_lower, upper = upper a, perm, sign}

  def det [n] (a: matrix [n] [n]): t =
    let f = lu a
    in f.sign F.* product (fromdiag f.upper)

  def lu_solve [n] (f: lu [n]) (b: vector [n]): vector [n] =
    back_subst f.upper (forward_subst f.lower (map (\i -> b[i]) f.perm))

  -- | Solves a x = b.
  def solve [n] (a: matrix [n] [n]) (b: vector [n]): vector [n] = lu_solve (lu a) b

  -- | Solves for many right hand sides, the columns of b.
  def solve_many [n] [m] (a: matrix [n] [n]) (b: matrix [n] [m]): matrix [n] [m] =
    let f = lu a
    in transpose (map (lu_solve f) (transpose b))

  def inv [n] (a: matrix [n] [n]): matrix [n] [n] = solve_many a (eye n)

  -- | The lower triangular l with l times its transpose equal to a.
  def cholesky [n] (a: matrix [n] [n]): matrix [n] [n] =
    loop l = replicate n (zeros n) for j < n do
      let d = F.sqrt F.(a[j, j] - dot l[j, :j] l[j, :j])
      let column = tabulate n (\i ->
        if i < j then F.zero
        else if i == j then d
        else F.((a[i, j] - dot l[i, :j] l[j, :j]) / d))
      in map2 (\i row -> map2 (\k x -> if k == j then column[i] else x) (iota n) row) (iota n) l

  def cholesky_solve [n] (l: matrix [n] [n]) (b: vector [n]): vector [n] =
    back_subst (transpose l) (forward_subst l b)

  -- | Gram-Schmidt: a is q r with orthonormal columns of q.
  def qr [n] [m] (a: matrix [n] [m]): (matrix [n] [m], matrix [m] [m]) =
    let (qt, r) =
      loop (qt, r) = (transpose a, replicate m (zeros m)) for j < m do
        let v = qt[j]
        let v' = loop v for i < j do axpy (F.neg (dot qt[i] v)) qt[i] v
        let coefficients = tabulate m (\i -> if i < j then dot qt[i] v else F.zero)
        let len = norm2 v'
        let unit = map (F./ len) v'
        let qt = map2 (\i row -> if i == j then unit else row) (iota m) qt
        let r = map3 (\i c row -> map2 (\k x -> if k == j then (if i == j then len else c) else x) (iota m) row)
                     (iota m) coefficients r
        in (qt, r)
    in (transpose qt, r)

  -- | Least squares by the normal equations.
  def least_squares [n] [m] (a: matrix [n] [m]) (b: vector [n]): vector [m] =
    cholesky_solve (cholesky (gram a)) (vecmat b a)

  -- | Rounds of power iteration: the eigenvalue of largest size, and its vector.
  def power_iteration [n] (rounds: i64) (a: matrix [n] [n]) (start: vector [n]): (t, vector [n]) =
    let v = loop v = start for _i < rounds do
      let w = matvec a v
      in scale F.(one / norm2 w) w
    in (bilinear v a v, v)

  -- | Conjugate gradients for symmetric positive definite a.
  def conjugate_gradient [n] (rounds: i64) (a: matrix [n] [n]) (b: vector [n]): vector [n] =
    let (x, _, _) =
      loop (x, r, p) = (zeros n, b, b) for _i < rounds do
        let ap = matvec a p
        let rr = dot r r
        in if rr F.== F.zero
           then (x, r, p)
           else let alpha = rr F./ dot p ap
                let x = axpy alpha p x
                let r' = axpy (F.neg alpha) ap r
                let p = axpy (dot r' r' F./ rr) p r'
                in (x, r', p)
    in x

  -- | a x^0 + b x^1 + ..: Horner's rule on matrices.
  def matpoly [n] [k] (coefficients: [k]t) (a: matrix [n] [n]): matrix [n] [n] =
    loop acc = matscale F.zero a for c in reverse coefficients do
      matadd (matmul acc a) (matscale c (eye n))

  -- | Terms of the exponential series.
  def matexp [n] (terms: i64) (a: matrix [n] [n]): matrix [n] [n] =
    let (sum, _) =
      loop (sum, term) = (eye n, eye n) for i < terms do
        let term = matscale (F.one F./ F.from_i64 (i + 1)) (matmul term a)
        in (matadd sum term, term)
    in sum
}
