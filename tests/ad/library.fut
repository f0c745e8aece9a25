-- The libraries of prelude/lib: what has a rule of its own agrees with finite differences and with itself in every nesting.
import "/prelude/lib/linear"
import "/prelude/lib/derivatives"

def matrix [n] (x: [n]f64): [n][n]f64 =
  tabulate_2d n n (\i j -> f64.sin (x[i] + 2 * f64.i64 j) + (if i == j then 3 + x[j] else 0))

-- rule: custom.tape
-- ad: solved { [1.0, -0.5, 2.0] [1.0, 2.0, 3.0] }
def solved [n] (x: [n]f64, b: [n]f64) = solve (matrix x) b

-- A matrix that needs its rows swapped.
-- ad: solved_many { [[0.0, 2.0, 1.0], [1.0, 1.0, 0.0], [3.0, 0.0, 1.0]] [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] }
def solved_many [n] [m] (a: [n][n]f64, b: [n][m]f64) = solve_many a b

-- ad: solved_nothing { empty([0][0]f64) empty([0]f64) }
def solved_nothing [n] (a: [n][n]f64, b: [n]f64) = solve a b

-- ad: inverted { [[2.0, 0.5, 0.1], [-0.3, 1.5, 0.2], [0.4, 0.1, 1.0]] }
def inverted [n] (a: [n][n]f64) = inverse a

-- ad: factored { [[4.0, 9.0, 9.0], [1.0, 3.0, 9.0], [0.5, -0.3, 2.0]] }
def factored [n] (a: [n][n]f64) = cholesky a

-- ad: triangles { [[4.0, 9.0], [1.0, 3.0]] [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] }
def triangles [n] [m] (l: [n][n]f64, b: [n][m]f64) = upper_solve l (lower_solve l b)

-- ad: added_logarithmically { [1.0, 3.0, 2.0, 3.0] }
def added_logarithmically (x: []f64) = logsumexp x

-- ad: sorted { [1.0, 3.5, 2.0, -3.0, 0.5, 7.0, 1.5] }
def sorted [n] (x: [n]f64) = map2 (\v i -> v * v * f64.i64 (i + 1)) (sort x) (iota n)

-- ad: sorted_none { empty([0]f64) }
def sorted_none [n] (x: [n]f64) = sort x

-- ad: settled { 0.5 1.5 }
def settled (a: f64, b: f64) =
  fixed_point 1e-14 (\(a, b) (x: [2]f64) -> [0.4 * f64.cos (a * x[1]), 0.3 * f64.sin (b * x[0]) + a]) [0, 0] (a, b)

-- Where the circle of radius r and the line of slope s meet; the way there is not one to be differentiated.
-- ad: met { 2.0 0.5 }
def met (r: f64, s: f64) =
  implicit (\(r, s) (x: [2]f64) -> [x[0] * x[0] + x[1] * x[1] - r * r, x[1] - s * x[0]])
    (\(r, s) -> let (l, h) = loop (l, h) = (0, r) for _i < 60 do
                               let m = (l + h) / 2
                               in if m * m * (1 + s * s) < r * r then (m, h) else (l, m)
                in [l, h * s]) (r, s)

-- ad: newton { [1.0, 2.0] }
def newton (x: [2]f64) = newton_step (\v -> f64.exp v[0] + v[0] * v[1] + v[1] ** 4) x

-- ad: gauss_newton { [1.0, 2.0] }
def gauss_newton (x: [2]f64) = gauss_newton_step (\(v: [2]f64) -> [v[0] * v[1] - 1, v[0] ** 2 + v[1], v[1] - 3]) x

def banded [n] (x: [n]f64): [n]f64 =
  tabulate n (\i -> x[i] ** 3 + (if i > 0 then f64.sin (x[i - 1] * x[i]) else 0))
def band (n: i64) = tabulate n (\i -> (i, i)) ++ tabulate (n - 1) (\i -> (i + 1, i))

-- ad: coloured { [1.0, 2.0, 0.5, -1.0, 0.3] }
def coloured [n] (x: [n]f64) = sparse_jacfwd banded x (band n)

-- ad: coloured_backwards { [1.0, 2.0, 0.5, -1.0, 0.3] }
def coloured_backwards [n] (x: [n]f64) = sparse_jacrev banded x (band n)
