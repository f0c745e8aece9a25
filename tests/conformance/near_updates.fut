-- Adjoints that near iterations add to: tasks take the even parts of them, and then the odd ones. Sizes below, at and above the number
-- of parts, and below what the updates reach. Sums of whole numbers, so that their order does not matter.

def vector (n: i64) (by: i64): [n]f64 = tabulate n (\i -> f64.i64 ((i * by + 3) % 17) - 8)
def matrix (n: i64) (m: i64) (by: i64): [n][m]f64 = tabulate_2d n m (\i j -> f64.i64 ((i * by + j * 7) % 13) - 6)
def at [n] (x: [n]f64) (i: i64): f64 = if 0 <= i && i < n then x[i] else 0

-- Neighbours on a line: the adjoint of x[i] * x[i + 1] * y[i] for both, that of y beside.
-- ==
-- entry: line
-- input { 1i64 } output { true }
-- input { 2i64 } output { true }
-- input { 3i64 } output { true }
-- input { 64i64 } output { true }
-- input { 65i64 } output { true }
-- input { 130i64 } output { true }
-- input { 1000i64 } output { true }
entry line (n: i64): bool =
  let (x, y) = (vector n 5, vector n 3)
  let f (x: [n]f64) (y: [n]f64) = f64.sum (tabulate (n - 1) (\i -> x[i] * x[i + 1] * y[i]))
  let (dx, dy) = vjp (\(x, y) -> f x y) (x, y) 1
  in and (tabulate n (\i -> dx[i] == at x (i + 1) * (if i < n - 1 then y[i] else 0) + at x (i - 1) * at y (i - 1))) &&
     and (tabulate n (\i -> dy[i] == (if i < n - 1 then x[i] * x[i + 1] else 0)))

-- Every third cell and what is six before it: parts are as long as the updates reach.
-- ==
-- entry: strides
-- input { 1i64 } output { true }
-- input { 3i64 } output { true }
-- input { 100i64 } output { true }
entry strides (n: i64): bool =
  let x = vector (3 * n + 7) 5
  let f x = f64.sum (tabulate n (\i -> x[3 * i] * x[3 * i + 6]))
  let dx = vjp f x 1
  let inside i = 0 <= i && i < n
  in and (tabulate (3 * n + 7) (\k ->
       dx[k] == (if k % 3 != 0 then 0
                 else (if inside (k / 3) then x[k + 6] else 0) + (if inside (k / 3 - 2) then x[k - 6] else 0))))

-- A stencil on a grid: rows meet rows nearby.
-- ==
-- entry: grid
-- input { 3i64 3i64 } output { true }
-- input { 5i64 70i64 } output { true }
-- input { 70i64 5i64 } output { true }
-- input { 200i64 9i64 } output { true }
entry grid (n: i64) (m: i64): bool =
  let (x, c) = (matrix n m 5, matrix n m 3)
  let inside i j = 0 <= i && i < n - 2 && 0 <= j && j < m - 2
  let f (x: [n][m]f64) = f64.sum (flatten (tabulate_2d (n - 2) (m - 2) (\i j -> c[i, j] * (x[i, j + 1] + x[i + 1, j] + 2 * x[i + 2, j + 2]))))
  let c_at i j = if inside i j then c[i, j] else 0
  in and (map2 (\row i -> and (map2 (\v j -> v == c_at i (j - 1) + c_at (i - 1) j + 2 * c_at (i - 2) (j - 2)) row (iota m)))
               (vjp f x 1) (iota n))

-- A window of constant length, a loop inside.
-- ==
-- entry: window
-- input { 1i64 } output { true }
-- input { 4i64 } output { true }
-- input { 64i64 } output { true }
-- input { 500i64 } output { true }
entry window (n: i64): bool =
  let (x, w) = (vector (n + 4) 5, vector 5 3)
  let f (x: [n + 4]f64) = tabulate n (\i -> loop s = 0 for k < 5 do s + w[k] * x[i + k])
  let seed = vector n 11
  let dx = vjp f x seed
  in and (tabulate (n + 4) (\c -> dx[c] == f64.sum (tabulate 5 (\k -> w[k] * at seed (c - k)))))

-- Cells of another iteration each, from the other end and with gaps: nothing meets.
-- ==
-- entry: apart
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 200i64 } output { true }
entry apart (n: i64): bool =
  let x = vector (2 * n) 5
  let f (x: [2 * n]f64) = f64.sum (tabulate n (\i -> x[2 * n - 2 * i - 1] * x[2 * n - 2 * i - 2]))
  let dx = vjp f x 1
  in and (tabulate (2 * n) (\k -> dx[k] == x[k ^ 1]))

-- The cells of a triangle, by a loop in each row; the row is the cell's second index.
-- ==
-- entry: triangle
-- input { 1i64 } output { true }
-- input { 70i64 } output { true }
entry triangle (n: i64): bool =
  let (l, x) = (matrix n n 5, vector n 3)
  let f (l: [n][n]f64) = tabulate n (\i -> loop s = 0 for j < i + 1 do s + l[j, i] * x[j])
  let seed = vector n 11
  in and (map2 (\row j -> and (map2 (\v i -> v == (if j <= i then seed[i] * x[j] else 0)) row (iota n))) (vjp f l seed) (iota n))
