-- | Dense linear algebra. What solves an equation has its derivative by a rule of its own: another solution with the transposed
-- matrix, not the derivative of an elimination.

-- | For the number type of a module such as `f32`; what this file has outside of it is for `f64`.
module linear (R: real) = {
  type t = R.t

  def zero: t = R.i64 0
  def one: t = R.i64 1

  def add [n] (a: [n]t) (b: [n]t): [n]t = map2 (R.+) a b
  def subtract [n] (a: [n]t) (b: [n]t): [n]t = map2 (R.-) a b
  def scale [n] (s: t) (a: [n]t): [n]t = map (s R.*) a

  -- | The inner product.
  def dot [n] (a: [n]t) (b: [n]t): t = R.sum (map2 (R.*) a b)

  -- | All products of an element of one and an element of the other.
  def outer [n] [m] (a: [n]t) (b: [m]t): [n][m]t = map (\x -> scale x b) a

  -- | Matrix times vector.
  def matvec [n] [m] (a: [n][m]t) (x: [m]t): [n]t = map (dot x) a

  -- | Vector times matrix.
  def vecmat [n] [m] (x: [n]t) (a: [n][m]t): [m]t = matvec (transpose a) x

  -- | Matrix times matrix.
  def matmul [n] [m] [k] (a: [n][m]t) (b: [m][k]t): [n][k]t =
    map (\row -> map (dot row) (transpose b)) a

  def identity (n: i64): [n][n]t = tabulate_2d n n (\i j -> if i == j then one else zero)

  local def negated [n] [m] (a: [n][m]t): [n][m]t = map (map R.neg) a

  -- | X of A X = B by Gauss and Jordan's elimination, with the largest element of a column as the pivot. This one is differentiated as
  -- it is written, which is good enough for small matrices.
  def eliminate [n] [m] (a: [n][n]t) (b: [n][m]t): [n][m]t =
    let rows =
      loop rows = map2 (++) a b for k < n do
        let pivot = loop p = k for i in k + 1..<n do if R.(abs rows[i, k] > abs rows[p, k]) then i else p
        let top = map (R./ rows[pivot, k]) rows[pivot]
        let reduced i =
          let row = if i == pivot then rows[k] else rows[i]
          in if i == k then top else map2 (\x y -> R.(x - row[k] * y)) row top
        in tabulate n reduced
    in map (\row -> row[n:] :> [m]t) rows

  -- The adjoint of B is a solution with the transposed matrix, the adjoint of A follows from it. A rule is differentiated like any
  -- code. So `below`, what solves inside of a rule, decides how the derivative of the next higher order is found.
  local def with_rule [n] [m] (below: [n][n]t -> [n][m]t -> [n][m]t) (a: [n][n]t) (b: [n][m]t): [n][m]t =
    let forward (a, b) = let x = below a b in ((a, x), x)
    let backward ((a, x): ([n][n]t, [n][m]t), x_adj) =
      let b_adj = below (transpose a) x_adj
      in (negated (matmul b_adj (transpose x)), b_adj)
    in with_vjp_tape forward backward (a, b)

  -- | X of A X = B.
  def solve_many [n] [m] (a: [n][n]t) (b: [n][m]t): [n][m]t = with_rule (with_rule eliminate) a b

  -- | x of A x = b.
  def solve [n] (a: [n][n]t) (b: [n]t): [n]t = flatten (solve_many a (map (\x -> [x]) b)) :> [n]t

  -- | The inverse matrix.
  def inverse [n] (a: [n][n]t): [n][n]t =
    with_vjp (\a -> eliminate a (identity n)) (\x dx -> negated (matmul (transpose x) (matmul dx (transpose x)))) a

  -- | X of L X = B for a lower triangular L; what is above the diagonal is not read.
  def lower_solve [n] [m] (l: [n][n]t) (b: [n][m]t): [n][m]t =
    loop x = copy b for i < n do
      let known = map (\column -> R.sum (map2 (R.*) l[i, :i] column[:i])) (transpose x)
      in x with [i] = map2 (\v s -> R.((v - s) / l[i, i])) b[i] known

  -- | X of Lt X = B, where Lt is L transposed, a lower triangular matrix.
  def upper_solve [n] [m] (l: [n][n]t) (b: [n][m]t): [n][m]t =
    loop x = copy b for k < n do
      let i = n - 1 - k
      let known = map (\column -> R.sum (map2 (R.*) l[i + 1:, i] column[i + 1:])) (transpose x)
      in x with [i] = map2 (\v s -> R.((v - s) / l[i, i])) b[i] known

  local def factored [n] (a: [n][n]t): [n][n]t =
    loop l = replicate n (replicate n zero) for j < n do
      let rest i = R.(a[i, j] - dot l[i, :j] l[j, :j])
      let d = R.sqrt (rest j)
      in l with [:, j] = tabulate n (\i -> if i < j then zero else if i == j then d else R.(rest i / d))

  -- | The lower triangular L with L Lt = A, for a symmetric, positive definite A of which only the lower half is read.
  def cholesky [n] (a: [n][n]t): [n][n]t =
    let backward l l_adj =
      let p = matmul (transpose l) l_adj
      let half = R.(one / (one + one))
      let phi = tabulate_2d n n (\i j -> if i > j then p[i, j] else if i == j then R.(half * p[i, i]) else zero)
      let s = transpose (upper_solve l (transpose (upper_solve l phi)))
      in tabulate_2d n n (\i j -> if i > j then R.(s[i, j] + s[j, i]) else if i == j then s[i, i] else zero)
    in with_vjp factored backward a
}

open linear f64
