-- Derivatives of products of matrices, which add up in accumulators, for what computes them in tiles (tests/fuzz/tiles.py has more). Each is
-- compared with the products that mathematics says, taken one sum after the other in loops.

def numbers (n: i64) (m: i64): [n][m]f64 = opaque (tabulate_2d n m (\i j -> f64.i64 ((i * 7 + j * 13 + (i * j) % 5) % 7 - 3)))
def product [n][m][k] (a: [n][k]f64) (b: [k][m]f64): [n][m]f64 = map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a
def in_loops [n][m][k] (a: [n][k]f64) (b: [k][m]f64): [n][m]f64 =
  loop out = replicate n (replicate m 0) for i < n do
    loop out = out for j < m do
      out with [i, j] = loop s = 0 for l < k do s + a[i][l] * b[l][j]
def plus [n][m] (a: [n][m]f64) (b: [n][m]f64): [n][m]f64 = map2 (map2 (+)) a b
def same [n][m] (x: [n][m]f64) (y: [n][m]f64): bool = and (flatten (map2 (map2 (==)) x y))
def sizes = [(0i64, 16i64, 16i64), (16, 0, 16), (1, 1, 1), (16, 17, 18), (15, 16, 16), (33, 16, 49)]
def every_size (f: i64 -> i64 -> i64 -> bool): bool = loop right = true for (n, m, q) in sizes do right && f n m q

-- Both factors; one; a matrix with itself.
-- ==
-- entry: both one itself
-- input { 0i64 } output { true }
entry both (_: i64): bool = every_size (\n m q ->
  let (a, b, c) = (numbers n q, numbers q m, numbers n m)
  let (da, db) = vjp (\(a, b) -> product a b) (a, b) c
  in same da (in_loops c (transpose b)) && same db (in_loops (transpose a) c))
entry one (_: i64): bool = every_size (\n m q ->
  let (a, b, c) = (numbers q n, numbers m q, numbers n m)
  in same (vjp (\a -> product (transpose a) (transpose b)) a c) (transpose (in_loops c b)) &&
     same (jvp (\a -> product (transpose a) (transpose b)) a (numbers q n)) (in_loops (transpose (numbers q n)) (transpose b)))
entry itself (_: i64): bool = every_size (\n _ q ->
  let (a, c) = (numbers n q, numbers q q)
  in same (vjp (\a -> product (transpose a) a) a c) (plus (in_loops a (transpose c)) (in_loops a c)))

-- A layer: what its activation needs is computed once for each sum. Two layers. A factor that is a result, too. Batches.
-- ==
-- entry: layer layers added batch
-- input { 0i64 } output { true }
def square (x: f64) = x * f64.abs x
def slope (x: f64) = 2 * f64.abs x
def layer_of [n][m][k] (w: [n][k]f64) (b: [n]f64) (x: [k][m]f64): [n][m]f64 = map2 (\r b -> map (\v -> square (v + b)) r) (product w x) b
entry layer (_: i64): bool = every_size (\n m q ->
  let (w, b, x, c) = (numbers n q, map f64.i64 (iota n), numbers q m, numbers n m)
  let (dw, db, dx) = vjp (\(w, b, x) -> layer_of w b x) (w, b, x) c
  let t = map2 (\r (b, c) -> map2 (\v c -> slope (v + b) * c) r c) (in_loops w x) (zip b c)
  in same dw (in_loops t (transpose x)) && and (map2 (==) db (map f64.sum t)) && same dx (in_loops (transpose w) t))
entry layers (_: i64): bool = every_size (\n m q ->
  let (v, w, x, c) = (numbers n q, numbers m n, numbers q q, numbers m q)
  let relu = map (map (f64.max 0))
  let (dv, dw) = vjp (\(v, w) -> product w (relu (product v x))) (v, w) c
  let inner = in_loops v x
  let t = map2 (map2 (\s d -> if s > 0 then d else 0)) inner (in_loops (transpose w) c)
  in same dw (in_loops c (transpose (relu inner))) &&
     and (flatten (map2 (map2 (==)) dv (in_loops (map2 (map2 (\s d -> if s == 0 then 0 else d)) inner t) (transpose x)))))
entry added (_: i64): bool = every_size (\n m q ->
  let (a, b, c, d) = (numbers n q, numbers q m, numbers n m, numbers q m)
  let (da, db) = vjp (\(a, b) -> (product a b, b)) (a, b) (c, d)
  in same da (in_loops c (transpose b)) && same db (plus d (in_loops (transpose a) c)))
entry batch (_: i64): bool = every_size (\n m q ->
  let (a, b, c) = (numbers n q, numbers q m, numbers n m)
  let of g = map (map (* f64.i64 g))
  let (das, db) = vjp (\(as, b) -> map (\a -> product a b) as) (map (\g -> of g a) (iota 3), b) (replicate 3 c)
  in and (map (\da -> same da (in_loops c (transpose b))) das) && same db (of 3 (in_loops (transpose a) c)))

-- The least of sums gives its adjoint to the first place that has it.
-- ==
-- entry: least
-- input { 0i64 } output { true }
entry least (_: i64): bool = every_size (\n m q ->
  let (a, b, c) = (numbers n q, numbers q m, numbers n m)
  let f a = map (\r -> map (\c -> f64.minimum (map2 (+) r c)) (transpose b)) a
  let da = vjp f a c
  let sums = map f64.sum da
  in q == 0 || and (map2 (==) sums (map f64.sum c)))
