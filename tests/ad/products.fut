-- Products of several factors, triangles and bands.
def matmul [n] [m] [k] (a: [n][m]f64) (b: [m][k]f64): [n][k]f64 = map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a
def matvec [n] [m] (a: [n][m]f64) (x: [m]f64): [n]f64 = map (\r -> f64.sum (map2 (*) r x)) a

-- ad: matrices_and_vector { [[1.0, 2.0], [3.0, 4.0], [0.5, 1.5]] [[5.0, 6.0, 1.0], [7.0, 8.0, 2.0]] [1.0, -2.0, 3.0] }
def matrices_and_vector [n][m][k] (a: [n][m]f64, b: [m][k]f64, v: [k]f64) = matvec (matmul a b) v

-- ad: vector_and_matrices { [2.0, 1.0] [[1.0, 2.0], [3.0, 4.0]] [[5.0, 6.0, 1.0], [7.0, 8.0, 2.0]] }
def vector_and_matrices [n][m][k] (v: [n]f64, a: [n][m]f64, b: [m][k]f64) = matvec (transpose (matmul a b)) v

-- ad: three_matrices { [[1.0, 2.0]] [[3.0, 4.0], [0.5, 1.5]] [[5.0, 6.0, 1.0], [7.0, 8.0, 2.0]] }
def three_matrices [n][m][k][l] (a: [n][m]f64, b: [m][k]f64, c: [k][l]f64) = matmul (matmul a b) c

-- ad: quadratic_form { [1.0, 2.0] [[3.0, 4.0], [0.5, 1.5]] }
def quadratic_form [n] (x: [n]f64, a: [n][n]f64) = f64.sum (map2 (*) x (matvec (matmul a a) x))

-- ad: lower_triangle { [[1.0, 2.0, 3.0], [3.0, 4.0, 5.0], [0.5, 1.5, 2.5]] [1.0, -2.0, 3.0] }
def lower_triangle [n] (a: [n][n]f64, x: [n]f64) = matvec (tabulate_2d n n (\i j -> if j <= i then a[i, j] else 0)) x

-- ad: both_triangles { [[1.0, 2.0, 3.0], [3.0, 4.0, 5.0], [0.5, 1.5, 2.5]] }
def both_triangles [n] (a: [n][n]f64) =
  matmul (tabulate_2d n n (\i j -> if j < i then a[i, j] else 0)) (tabulate_2d n n (\i j -> if i <= j then f64.exp a[i, j] else 0))

-- ad: band { [[1.0, 2.0, 3.0], [3.0, 4.0, 5.0], [0.5, 1.5, 2.5]] [1.0, -2.0, 3.0] 1i64 }
def band [n] (a: [n][n]f64, x: [n]f64, w: i64) =
  tabulate n (\i -> f64.sum (map3 (\j y z -> if i64.abs (i - j) <= w then y * z * z else 0) (iota n) a[i] x))

-- ad: part_of_a_loop { [1.0, 2.0, 3.0, 4.0] 1i64 }
def part_of_a_loop [n] (x: [n]f64, w: i64) =
  loop y = copy x for i < n do if w < i then y with [i] = y[i] * f64.sin y[i - 1] else y

-- A matrix that does not depend on what is differentiated.
-- ad: constant_triangle { [1.0, 2.0, 3.0] }
def constant_triangle [n] (x: [n]f64) =
  map f64.sin (matvec (tabulate_2d n n (\i j -> if j <= i then f64.i64 (i + j) else 0)) x)

-- Gradients are products, too: with them a loop has several states, each of which could be the old rows.
-- ad: four_factors { [[1.0, 2.0], [3.0, 0.5]] [[0.5, 0.6], [0.1, 0.7]] [[0.3, 0.2], [0.8, 0.9]] }
def four_factors [n] (a: [n][n]f64, b: [n][n]f64, c: [n][n]f64) =
  tabulate_2d n n (\i l -> f64.sum (tabulate n (\j -> f64.sum (tabulate n (\k -> a[i, j] * b[j, k] * c[k, l] * a[k, i])))))
