-- The Hessian of a chain of angles, row by row.
def energy [n] (x: [n]f64) = f64.sum (map (\i -> f64.cos (x[i] - x[(i + 1) % n])) (iota n))
entry main [n] (x: [n]f64): [n][n]f64 = map (\i -> jvp (\y -> vjp energy y 1) x (tabulate n (\j -> f64.bool (i == j)))) (iota n)
entry three (x: [3]f64): [3][3]f64 = map (\i -> jvp (\y -> vjp energy y 1) x (tabulate 3 (\j -> f64.bool (i == j)))) (iota 3)
