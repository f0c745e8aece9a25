-- What gradients cost beside their functions.
def table (n: i64): [n][n]f64 = unflatten (scan (+) 1 (replicate (n * n) 0.5))

-- A step that replaces two rows is undone by writing two rows.
-- counts: rotated_back < 8i64: bytes 57856
-- counts: rotated_back < 16i64: bytes 493568
-- cost: rotated < 16i64: rotated_back 6
def rotate_rows [n] (a: [n][n]f64): [n][n]f64 =
  loop a = copy a for j < n do
    loop a for i < n - 1 do
      let h = f64.sqrt (a[i, j] * a[i, j] + a[i + 1, j] * a[i + 1, j])
      let (c, s) = (a[i, j] / h, a[i + 1, j] / h)
      let top = map2 (\x y -> c * x + s * y) a[i] a[i + 1]
      let below = map2 (\x y -> c * y - s * x) a[i] a[i + 1]
      let a = a with [i] = top
      in a with [i + 1] = below
entry rotated (n: i64) = rotate_rows (table n)
entry rotated_back (n: i64) = vjp rotate_rows (table n) (table n)

-- A row that the program has copied is all that is copied.
-- counts: moved_back < 8i64: bytes 6784
-- counts: moved_back < 16i64: bytes 28928
def move_rows [n] (a: [n][n]f64): [n][n]f64 =
  loop a = copy a for i < n - 1 do
    let top = copy a[i]
    let below = copy a[i + 1]
    let a = a with [i] = map2 (\x y -> x * y + 1) top below
    in a with [i + 1] = top
entry moved_back (n: i64) = vjp move_rows (table n) (table n)

-- What one thread reduces goes back in one loop.
-- cost: compounded < 100i64: compounded_back 4
-- cost: variance < 100i64: variance_back 4
def compound [n] (rates: [n]f64): f64 = reduce (\a b -> a + b + a * b) 0 rates
entry compounded (n: i64) = compound (replicate n 0.1)
entry compounded_back (n: i64) = vjp compound (replicate n 0.1) 1
def spread [n] (xs: [n]f64): f64 =
  let join (m, s, n) (m', s', n') =
    let d = m' - m
    let k = n + n'
    in if k == 0 then (0, 0, 0) else (m + d * n' / k, s + s' + d * d * n * n' / k, k)
  let (_, s, k) = reduce join (0, 0, 0) (map (\x -> (x, 0, 1)) xs)
  in s / k
entry variance (n: i64) = spread (map f64.i64 (iota n))
entry variance_back (n: i64) = vjp spread (map f64.i64 (iota n)) 1

-- A maximum or minimum in forward mode: one comparison with a test for what is no number, and one choice.
-- cost: paths < 8i64: paths_along 3.5
def shortest [n] (d: [n][n]f64): [n][n]f64 =
  loop d for k < n do tabulate_2d n n (\i j -> f64.min d[i, j] (d[i, k] + d[k, j]))
entry paths (n: i64) = shortest (table n)
entry paths_along (n: i64) = jvp shortest (table n) (table n)
