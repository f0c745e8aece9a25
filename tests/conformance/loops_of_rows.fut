-- Ways back through loops whose iterations have rows of their own: they are maps on all backends.

def data (n: i64): [n]f64 = map (\i -> f64.i64 (i % 7) / 4) (iota n)
def table (n: i64) (m: i64): [n][m]f64 = tabulate_2d n m (\i j -> f64.i64 ((3 * i + j) % 5) / 2)
def near [n] (a: [n]f64) (b: [n]f64): bool = and (map2 (\x y -> f64.abs (x - y) <= 1e-12) a b)

-- ==
-- entry: sums
-- input { 0i64 3i64 } output { true true true true }
-- input { 1i64 1i64 } output { true true true true }
-- input { 40i64 0i64 } output { true true true true }
-- input { 1000i64 5i64 } output { true true true true }
entry sums (n: i64) (m: i64): (bool, bool, bool, bool) =
  let (xs, rows) = (data n, table n m)
  -- a number for each iteration, from the first or from the last
  let forwards = vjp (\xs -> loop s = 0 for x in xs do s + x * x * x) xs 1
  let backwards = vjp (\(xs: [n]f64) -> loop s = 0 for i < n do s + f64.i64 i * xs[n - 1 - i]) xs 1
  -- loops in a loop
  let nested = vjp (\(a: [n][m]f64) -> loop s = 0 for i < n do loop s for j < m do s + f64.i64 (i + 2 * j) * a[i, j] ** 2) rows 1
  -- an array that is made element by element, and a row that is changed in part
  let filled =
    vjp (\(a: [n][m]f64) ->
           let b = loop b = replicate n [0, 0] for i < n do b with [i, 1] = f64.sum (map (** 2) a[i])
           in f64.sum (map (\r -> r[0] + 3 * r[1]) b)) rows 1
  in (near forwards (map (\x -> 3 * x * x) xs), near backwards (map (\i -> f64.i64 (n - 1 - i)) (iota n)),
      near (flatten nested) (flatten (tabulate_2d n m (\i j -> 2 * f64.i64 (i + 2 * j) * rows[i, j]))),
      near (flatten filled) (flatten (map (map (6 *)) rows)))
