-- Gradients of loops whose sizes are known at run time only; budgets.py runs them under --ad-memory.
-- `-- memory: NAME BASE BYTES.. | ARGUMENTS`: with --ad-memory=BYTES the gradient NAME needs at most BASE and BYTES at once. BASE is for the
-- arrays of the program, their adjoints, and the state that runs.

-- Gauss-Seidel sweeps in place: k sweeps overwrite n x n elements each.
-- memory: sweeps 40000 20000 50000 | 40 20
entry sweeps (k: i64) (n: i64): [][]f64 =
  vjp (\(u: [n][n]f64) -> f64.sum (flatten (loop u = copy u for _k < k do
                            loop u for i < n - 2 do
                              loop u for j < n - 2 do
                                u with [i + 1, j + 1] = 0.25 * (u[i, j + 1] + u[i + 2, j + 1] + u[i + 1, j] + f64.sin u[i + 1, j + 2]))))
      (tabulate_2d n n (\i j -> f64.i64 (i * j % 11) / 11)) 1

-- The same with a new grid in each iteration, for which there are two blocks wherever that loop runs.
-- memory: grids 50000 20000 50000 | 40 20
entry grids (k: i64) (n: i64): [][]f64 =
  vjp (\(u: [n][n]f64) -> f64.sum (flatten (loop u for _k < k do
                            tabulate_2d n n (\i j -> if i == 0 || j == 0 || i == n - 1 || j == n - 1 then u[i, j]
                                                     else 0.25 * (u[i, j - 1] + u[i + 1, j] + u[i - 1, j] + f64.sin u[i, j + 1])))))
      (tabulate_2d n n (\i j -> f64.i64 (i * j % 11) / 11)) 1

-- A loop in a loop, both with states.
-- memory: nested 4000 1000 4000 20000 | 200 300
entry nested (k: i64) (n: i64): f64 = vjp (\x -> loop s = x for i < k do loop t = s for j < n do f64.sin (t * 1.1 + f64.i64 (i * j % 7))) 0.3 1

-- n chains of k iterations, on a device all at once.
-- memory: chains 8000 10000 20000 100000 | 100 1000
entry chains (n: i64) (k: i64): []f64 =
  vjp (\xs -> map (\x -> loop s = x for i < k do f64.sin (s * 1.1 + f64.i64 i)) xs) (map (\i -> f64.i64 i / 10) (iota n)) (replicate n 1)

-- n gradients of such chains.
-- memory: gradients 8000 10000 20000 100000 | 100 1000
entry gradients (n: i64) (k: i64): []f64 =
  map (\x -> vjp (\x -> loop s = x for i < k do f64.sin (s * 1.1 + f64.i64 i)) x 1) (map (\i -> f64.i64 i / 10) (iota n))
