-- What the recipes of prelude/lib cost.
import "/prelude/lib/derivatives"
import "/prelude/lib/linear"

def differences [n] (x: [n]f64): [n]f64 = tabulate n (\i -> x[i] ** 2 - (if i > 0 then x[i - 1] else 0))

-- A Jacobian by colours grows as its elements do.
-- cost: coloured 4 < 250i64 | 1000i64
entry coloured (n: i64) =
  sparse_jacfwd differences (map f64.i64 (iota n)) (tabulate n (\i -> (i, i)) ++ tabulate (n - 1) (\i -> (i + 1, i)))

def energy [n] (x: [n]f64): f64 = f64.sum (map (\v -> f64.exp v * v) x)

-- cost: energies < 1000i64: gradient 3
-- cost: energies < 1000i64: product 6
-- cost: energies < 1000i64: diagonal 6
entry energies (n: i64) = energy (map f64.i64 (iota n))
entry gradient (n: i64) = grad energy (map f64.i64 (iota n))
entry product (n: i64) = hvp energy (map f64.i64 (iota n)) (replicate n 2)
entry diagonal (n: i64) = hessian_diag energy (map f64.i64 (iota n))

-- The way back through a sort does not sort.
-- cost: sorted < 1000i64: sorted_back 1.3
entry sorted (n: i64) = f64.sum (map (** 2) (sort (tabulate n (\i -> f64.i64 (i * 7919 % 1009)))))
entry sorted_back (n: i64) = grad (\x -> f64.sum (map (** 2) (sort x))) (tabulate n (\i -> f64.i64 (i * 7919 % 1009)))

-- The way back through a solution is another solution.
-- cost: solved < 30i64: solved_back 4
entry solved (n: i64) =
  f64.sum (solve (tabulate_2d n n (\i j -> if i == j then 9 else 1 / f64.i64 (i + j))) (replicate n 1))
entry solved_back (n: i64) =
  grad (\a -> f64.sum (solve a (replicate n 1))) (tabulate_2d n n (\i j -> if i == j then 9 else 1 / f64.i64 (i + j)))
