-- | Recipes with derivatives: gradients, Jacobians and Hessians, dense and sparse; steps of Newton's and of Gauss and Newton's
-- method; functions with derivatives of their own.

local module algebra = import "linear"
local module sorting = import "sort"

-- Where each of n groups begins, and the end of the last.
local def begins [k] (n: i64) (groups: [k]i64): [n + 1]i64 =
  [0] ++ scan (+) 0 (hist (+) 0 n groups (replicate k 1)) :> [n + 1]i64

-- The numbers of the elements, group by group.
local def members [k] [m] (begins: [m]i64) (groups: [k]i64): [k]i64 =
  let (out, _) =
    loop (out, next) = (replicate k 0, copy begins) for e < k do
      let g = groups[e]
      in (out with [next[g]] = e, next with [g] = next[g] + 1)
  in out

-- | A colour for each of n columns of a matrix of m rows that is zero but at `places` (row, column), such that columns that meet in
-- a row differ; before it comes the number of colours. Each column takes the first that is free.
def colours [k] (m: i64) (n: i64) (places: [k](i64, i64)): (i64, [n]i64) =
  let (rows, columns) = unzip places
  let row_begins = begins m rows
  let column_begins = begins n columns
  let in_row = members row_begins rows
  let in_column = members column_begins columns
  let (count, colour, _) =
    -- taken[c] is j when a column that meets column j has colour c.
    loop (count, colour, taken) = (0, replicate n (-1), replicate n (-1)) for j < n do
      let taken =
        loop taken for a in column_begins[j]..<column_begins[j + 1] do
          let i = rows[in_column[a]]
          in loop taken for b in row_begins[i]..<row_begins[i + 1] do
               let c = colour[columns[in_row[b]]]
               in if c < 0 then taken else taken with [c] = j
      let c = loop c = 0 while taken[c] == j do c + 1
      in (i64.max count (c + 1), colour with [j] = c, taken)
  in (count, colour)

-- | The permutation that sorts: the number of the smallest element first; equal ones stay in their order.
def argsort_by 't [n] (leq: t -> t -> bool) (xs: [n]t): [n]i64 = sorting.argsort_by leq xs

-- | For the number type of a module such as `f32`; what this file has outside of it is for `f64`.
module derivatives (R: real) = {
  type t = R.t
  local module linear = algebra.linear R
  local def zero: t = R.i64 0
  local def one: t = R.i64 1

  -- | The gradient of a function whose result is one number.
  def grad 'a (f: a -> t) (x: a): a = vjp f x one

  -- | The value with the gradient.
  def value_and_grad 'a (f: a -> t) (x: a): (t, a) = vjp2 f x one

  -- | The derivative of a function of one number.
  def derivative 'b (f: t -> b) (x: t): b = jvp f x one

  -- | A vector of zeros but for a one at i.
  def onehot (n: i64) (i: i64): [n]t = tabulate n (\j -> if i == j then one else zero)

  -- | All of them.
  def onehots (n: i64): [n][n]t = tabulate n (onehot n)

  -- | The Jacobian, a row for each result, by forward mode: a direction for each argument.
  def jacfwd [n] [m] (f: [n]t -> [m]t) (x: [n]t): [m][n]t = transpose (jmp f x (onehots n))

  -- | The Jacobian, a row for each result, by reverse mode: a seed for each result.
  def jacrev [n] [m] (f: [n]t -> [m]t) (x: [n]t): [m][n]t = mjp f x (onehots m)

  -- | The Hessian times a vector, without the Hessian.
  def hvp 'a (f: a -> t) (x: a) (v: a): a = jvp (\x -> vjp f x one) x v

  -- | The Hessian.
  def hessian [n] (f: [n]t -> t) (x: [n]t): [n][n]t = jmp (\x -> vjp f x one) x (onehots n)

  -- | The diagonal of a Hessian that has zeros everywhere else: one direction gives all of it.
  def hessian_diag [n] (f: [n]t -> t) (x: [n]t): [n]t = hvp f x (replicate n one)

  -- The sums of the unit vectors of each colour.
  local def compressed [n] (count: i64) (colour: [n]i64): [count][n]t =
    tabulate count (\c -> map (\d -> if c == d then one else zero) colour)

  -- | The elements of a sparse Jacobian at `places` (row, column), which must be all that are not zero, by forward mode: one direction
  -- for each colour of `colours m n places`.
  def sparse_jacfwd_by [n] [m] [k] (f: [n]t -> [m]t) (x: [n]t) (places: [k](i64, i64)) (count: i64, colour: [n]i64): [k]t =
    let columns = jmp f x (compressed count colour)
    in map (\(i, j) -> columns[colour[j], i]) places

  -- | The same by reverse mode: one seed for each colour of the rows, `colours n m` of the places with row and column swapped.
  def sparse_jacrev_by [n] [m] [k] (f: [n]t -> [m]t) (x: [n]t) (places: [k](i64, i64)) (count: i64, colour: [m]i64): [k]t =
    let rows = mjp f x (compressed count colour)
    in map (\(i, j) -> rows[colour[i], j]) places

  -- | The same, with colours found on the way; who needs many Jacobians of one pattern finds them once.
  def sparse_jacfwd [n] [m] [k] (f: [n]t -> [m]t) (x: [n]t) (places: [k](i64, i64)): [k]t =
    sparse_jacfwd_by f x places (colours m n places)
  def sparse_jacrev [n] [m] [k] (f: [n]t -> [m]t) (x: [n]t) (places: [k](i64, i64)): [k]t =
    sparse_jacrev_by f x places (colours n m (map (\(i, j) -> (j, i)) places))
  def sparse_hessian [n] [k] (f: [n]t -> t) (x: [n]t) (places: [k](i64, i64)): [k]t =
    sparse_jacfwd (\x -> vjp f x one) x places

  -- | Where the Jacobian is not zero at x, found by computing all of it: a pattern for other points.
  def pattern [n] [m] (f: [n]t -> [m]t) (x: [n]t): [](i64, i64) =
    let found = map2 (\i row -> map2 (\j v -> (R.(v != zero), (i, j))) (iota n) row) (iota m) (jacfwd f x)
    in map (.1) (filter (.0) (flatten found))

  -- | The next point of Newton's method on the way to a minimum of f.
  def newton_step [n] (f: [n]t -> t) (x: [n]t): [n]t =
    let (gradient, curvature) = jmp2 (\x -> vjp f x one) x (onehots n)
    in linear.subtract x (linear.solve curvature gradient)

  -- | The same for a Hessian that is diagonal.
  def newton_step_diag [n] (f: [n]t -> t) (x: [n]t): [n]t =
    let (gradient, curvature) = jvp2 (\x -> vjp f x one) x (replicate n one)
    in map3 (\x g h -> R.(x - g / h)) x gradient curvature

  -- | The next point of the method of Gauss and Newton on the way to a minimum of the sum of the squares of what r gives.
  def gauss_newton_step [n] [m] (r: [n]t -> [m]t) (x: [n]t): [n]t =
    let (value, columns) = jmp2 r x (onehots n)
    in linear.subtract x (linear.solve (linear.matmul columns (transpose columns)) (linear.matvec columns value))

  -- A function of which a rule `backward` of parameters, result and adjoint, and a rule `forward` of parameters, result and tangent are
  -- known. `below` computes it, also inside of the rules: what it has of rules of its own decides about derivatives of higher order.
  local def with_rules 'p 'x (forward: p -> x -> p -> x) (backward: p -> x -> x -> p) (below: p -> x) (p: p): x =
    let kept p =
      let x = with_jvp below (\p dp -> forward p (below p) dp) p
      in ((p, x), x)
    in with_vjp_tape kept (\((p, x), x_adj) -> backward p x x_adj) p

  -- | The x that `solver p` finds with f p x = 0. Its derivative is that of the equation; the solver is not looked into.
  def implicit [n] 'p (f: p -> [n]t -> [n]t) (solver: p -> [n]t) (p: p): [n]t =
    let solved (a: [n][n]t) (b: [n]t): [n]t = map (.[0]) (linear.eliminate a (map (\v -> [R.neg v]) b))
    let forward (p: p) (x: [n]t) (dp: p): [n]t = solved (jacfwd (f p) x) (jvp (\p -> f p x) p dp)
    let backward (p: p) (x: [n]t) (x_adj: [n]t): p = vjp (\p -> f p x) p (solved (transpose (jacrev (f p) x)) x_adj)
    in with_rules forward backward (with_rules forward backward solver) p

  -- | The x = g p x at which the iteration from `start` moves no number by more than `tolerance`. Its derivative is that of the
  -- equation, found by an iteration that goes on as long: the steps of the first one are not kept. What g uses of the outside
  -- must not depend on what is differentiated; that goes into p.
  def fixed_point [n] 'p (tolerance: t) (g: p -> [n]t -> [n]t) (start: [n]t) (p: p): [n]t =
    let settled (step: [n]t -> [n]t) (x: [n]t): [n]t =
      let moves a b = any (\d -> R.(abs d > tolerance)) (linear.subtract a b)
      in (loop (x, y) = (x, step x) while moves x y do (y, step y)).1
    let solver (p: p): [n]t = settled (g p) start
    let forward (p: p) (x: [n]t) (dp: p): [n]t =
      let direct = jvp (\p -> g p x) p dp
      in settled (\u -> linear.add direct (jvp (g p) x u)) direct
    let backward (p: p) (x: [n]t) (x_adj: [n]t): p =
      vjp (\p -> g p x) p (settled (\u -> linear.add x_adj (vjp (g p) x u)) x_adj)
    in with_rules forward backward (with_rules forward backward solver) p

  -- All numbers in x as zeros.
  local def zeros_like 'a (x: a): a = vjp (const zero) x zero

  -- | x, of which a derivative sees nothing.
  def stop_gradient 'a (x: a): a = with_vjp (with_jvp id (\_ dx -> zeros_like dx)) (\_ dy -> zeros_like dy) x

  -- | x; its adjoint stays between -limit and limit.
  def clip_gradient (limit: t) (x: t): t = with_vjp id (\_ dy -> R.max (R.neg limit) (R.min limit dy)) x

  -- | x; its adjoint is made no longer than `limit`.
  def clip_gradient_norm [n] (limit: t) (x: [n]t): [n]t =
    let clipped (dy: [n]t) =
      let norm = R.sqrt (linear.dot dy dy)
      in if R.(norm > limit) then linear.scale R.(limit / norm) dy else dy
    in with_vjp id (\_ dy -> clipped dy) x

  -- | f x; derivatives pass as if f were nothing: for steps and roundings.
  def straight_through (f: t -> t) (x: t): t = with_vjp (with_jvp f (\_ dx -> dx)) (\_ dy -> dy) x

  -- | Sorted; the adjoints go back by the permutation, and the sorting itself is not differentiated.
  def sort [n] (xs: [n]t): [n]t =
    let forward xs =
      let order = argsort_by (R.<=) xs
      in (order, map (\i -> xs[i]) order)
    in with_vjp_tape forward (\(order, dy) -> #[distinct] scatter (replicate n zero) order dy) xs

  -- | The logarithm of the sum of exponentials, without overflow.
  def logsumexp [n] (xs: [n]t): t =
    let value xs =
      let top = R.maximum xs
      in if R.isinf top then top else R.(top + log (sum (map (\x -> exp (x - top)) xs)))
    in with_vjp_tape (\xs -> let y = value xs in ((xs, y), y))
         (\((xs, y), dy) -> map (\x -> R.(exp (x - y) * dy)) xs) xs
}

open derivatives f64
