-- prelude/lib/derivatives and prelude/lib/linear: values, and derivatives of first and second order against plain formulations.
import "/prelude/lib/derivatives"
import "/prelude/lib/linear"

module library = import "/prelude/lib/derivatives"
module single = library.derivatives f32

def far (a: f64) (b: f64): bool = !(f64.abs (a - b) <= 1e-9 * (1 + f64.abs a))
def apart [n] (a: [n]f64) (b: [n]f64): bool = any id (map2 far a b)
def apart_2d [n] [m] (a: [n][m]f64) (b: [n][m]f64): bool = or (map2 apart a b)

-- ==
-- entry: wrong_algebra
-- input { [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]] [1.0, 2.0, 3.0] } output { empty([0]i64) }
-- input { [[2.0]] [1.0] } output { empty([0]i64) }
-- input { empty([0][0]f64) empty([0]f64) } output { empty([0]i64) }
entry wrong_algebra [n] (a: [n][n]f64) (b: [n]f64): []i64 =
  let x = solve a b
  let l = cholesky a
  -- The plain functions: what has no rule.
  let plain a b = map (.[0]) (eliminate a (map (\v -> [v]) b))
  let energy f (a: [n][n]f64) = f64.sum (map2 (*) (f a b) b)
  let swapped = reverse a
  let tests =
    [ apart (matvec a x) b, apart_2d (matmul l (transpose l)) a, apart_2d (matmul a (inverse a)) (identity n),
      apart (matvec swapped (solve swapped b)) b,
      apart_2d (grad (energy solve) a) (grad (energy plain) a),
      apart_2d (hvp (energy solve) a a) (hvp (energy plain) a a),
      apart_2d (vjp (\a -> grad (energy solve) a) a a) (vjp (\a -> grad (energy plain) a) a a),
      apart_2d (vjp inverse a a) (vjp (\a -> eliminate a (identity n)) a a),
      apart_2d (lower_solve l (matmul l a)) a, apart_2d (upper_solve l (matmul (transpose l) a)) a ]
  in filter (\i -> tests[i]) (indices tests)

-- ==
-- entry: sorting
-- input { [3.0, 1.0, 3.0, -2.0, 1.0] } output { [3i64, 1i64, 4i64, 0i64, 2i64] [-2.0, 1.0, 1.0, 3.0, 3.0] [4.0, 2.0, 5.0, 1.0, 3.0] }
-- input { [3.0] } output { [0i64] [3.0] [1.0] }
-- input { empty([0]f64) } output { empty([0]i64) empty([0]f64) empty([0]f64) }
entry sorting [n] (x: [n]f64) =
  (argsort_by (<=) x, sort x, vjp sort x (map (\i -> f64.i64 (i + 1)) (iota n)))

-- ==
-- entry: coloured
-- input { 6i64 } output { 3i64 [0i64, 1i64, 2i64, 0i64, 1i64, 2i64] [-1.0, -2.0, 1.0] }
entry coloured (n: i64) =
  -- Three neighbours in each row.
  let places = flatten (tabulate_2d n 3 (\i j -> (i, i + j - 1))) |> filter (\(_, j) -> 0 <= j && j < n)
  let (count, colour) = colours n n places
  let f (x: [n]f64) = tabulate n (\i -> x[i] * (if i > 0 then x[i - 1] else 0) - (if i + 1 < n then x[i + 1] ** 2 else 0))
  let x = map f64.i64 (iota n)
  let dense = jacfwd f x
  let found = sparse_jacfwd f x places
  let back = sparse_jacrev f x places
  let _ = assert (!apart found (map (\(i, j) -> dense[i, j]) places) && !apart found back) ()
  in (count, colour, [dense[0, 1] + 1, dense[0, 1], dense[2, 2]])

def cosine (a: f64): f64 = (fixed_point 1e-14 (\a (x: [1]f64) -> [f64.cos (a * x[0])]) [0.5] a)[0]
def unrolled (a: f64): f64 = loop x = 0.5 for _i < 300 do f64.cos (a * x)

-- ==
-- entry: wrong_solutions
-- input { 0.7 } output { empty([0]i64) }
entry wrong_solutions (a: f64): []i64 =
  let cube (a: f64) = (implicit (\a (x: [1]f64) -> [x[0] ** 3 - a]) (\a -> [a ** (1 / 3)]) a)[0]
  let tests =
    [ far (cosine a) (unrolled a), far (grad cosine a) (grad unrolled a), far (derivative cosine a) (grad unrolled a),
      far (derivative (grad cosine) a) (derivative (grad unrolled) a), far (grad (grad cosine) a) (derivative (grad unrolled) a),
      far (grad (derivative cosine) a) (derivative (grad unrolled) a),
      far (grad cube a) (a ** (-2 / 3) / 3), far (grad (grad cube) a) (-2 * a ** (-5 / 3) / 9) ]
  in filter (\i -> tests[i]) (indices tests)

-- ==
-- entry: changed
-- input { 1.5 } output { 1.5 2.0 0.25 [0.6, 0.8] 1.0 }
entry changed (x: f64) =
  (grad (\x -> stop_gradient x * x) x, straight_through f64.ceil x, grad (\v -> clip_gradient 0.25 (v * x)) x / x,
   vjp (clip_gradient_norm 1) [x, x] [3, 4], grad (straight_through f64.ceil) x)

-- ==
-- entry: exponentials
-- input { [1000.0, 1000.0] } output { 1000.6931471805599 [0.5, 0.5] [[0.25, -0.25], [-0.25, 0.25]] }
-- input { [-f64.inf, 0.0] } output { 0.0 [0.0, 1.0] [[0.0, 0.0], [0.0, 0.0]] }
entry exponentials [n] (x: [n]f64) = (logsumexp x, grad logsumexp x, hessian logsumexp x)

-- ==
-- entry: steps
-- input { [1.0, 2.0] } output { [0.0, 0.5] [0.0, 0.5] [0.0, 0.5] }
entry steps (x: [2]f64) =
  let f (v: [2]f64) = 3 * v[0] ** 2 + (v[1] - 0.5) ** 2
  in (newton_step f x, newton_step_diag f x, gauss_newton_step (\v -> [2 * v[0], v[1] - 0.5, v[0]]) x)

-- ==
-- entry: in_single
-- input { 3.0f32 } output { 6.0f32 [1.0f32, 2.0f32] }
entry in_single (x: f32) = (single.grad (\x -> x * x) x, single.sort [2, 1])
