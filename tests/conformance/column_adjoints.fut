-- Gradients of what people write with columns, small vectors, stencils and scatters. Adjoints of columns lie in rows. Vectors of three
-- elements have three updates. Strips have branches. One thread goes back through scatters. All are sums of whole numbers.

def matrix (n: i64) (m: i64): [n][m]f64 = tabulate_2d n m (\i j -> f64.i64 ((i * 5 + j * 7) % 13) - 6)
def vector (n: i64): [n]f64 = tabulate n (\i -> f64.i64 ((i * 5 + 3) % 17) - 8)
def same [n][m] (a: [n][m]f64) (b: [n][m]f64) = and (map2 (\r s -> and (map2 (==) r s)) a b)

-- A column is weighted by its sum. Its adjoint is a row beside a sum, and another row after that.
-- ==
-- entry: weighted sums
-- input { 0i64 3i64 } output { true }
-- input { 3i64 1i64 } output { true }
-- input { 5i64 70i64 } output { true }
-- input { 2i64 2100i64 } output { true }
-- input { 300i64 17i64 } output { true }
entry weighted (n: i64) (m: i64): bool =
  let a = matrix n m
  let f (x: [n][m]f64) = f64.sum (map (\c -> let s = f64.sum c in f64.sum (map (\e -> s * e * e) c)) (transpose x))
  let s = map f64.sum (transpose a)
  let q = map (\c -> f64.sum (map (\e -> e * e) c)) (transpose a)
  in same (vjp f a 1) (map (\row -> map3 (\e s q -> q + 2 * s * e) row s q) a)

-- The adjoint of the sums of columns has equal rows.
entry sums (n: i64) (m: i64): bool =
  let a = matrix n m
  let f (x: [n][m]f64) = f64.sum (map (\c -> f64.sum c ** 2) (transpose x))
  let s = map f64.sum (transpose a)
  in same (vjp f a 1) (replicate n (map (* 2) s))

-- Each pair of points adds to six numbers.
-- ==
-- entry: pairs
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 50i64 } output { true }
entry pairs (n: i64): bool =
  let p = matrix n 3
  let f (p: [n][3]f64) = f64.sum (map (\a -> f64.sum (map (\b -> f64.sum (map2 (\x y -> (x - y) ** 2) a b)) p)) p)
  let s = map f64.sum (transpose p)
  in same (vjp f p 1) (map (map2 (\s x -> 4 * (f64.i64 n * x - s)) s) p)

-- An upwind step, whose branch chooses the neighbour; the step width gets a sum.
-- ==
-- entry: upwind
-- input { 1i64 } output { true }
-- input { 2i64 } output { true }
-- input { 9i64 } output { true }
-- input { 33i64 } output { true }
-- input { 100i64 } output { true }
-- input { 1000i64 } output { true }
entry upwind (n: i64): bool =
  let u = vector n
  let part u l r = if u > 0 then u * (u - l) else u * (r - u)
  let at i = u[(i + n) % n]
  let f (u: [n]f64, c: f64) =
    let step = loop u for _i < 1 do map3 (\x l r -> x - c * part x l r) u (rotate (-1) u) (rotate 1 u)
    in f64.sum step
  let (du, dc) = vjp f (u, 2) 1
  let own i = if at i > 0 then 2 * at i - at (i - 1) else at (i + 1) - 2 * at i
  let next i = if at (i + 1) > 0 then - at (i + 1) else 0
  let before i = if at (i - 1) > 0 then 0 else at (i - 1)
  in and (tabulate n (\i -> n < 3 || du[i] == 1 - 2 * (own i + next i + before i))) &&
     dc == - f64.sum (tabulate n (\i -> part (at i) (at (i - 1)) (at (i + 1))))

-- Updates of one place scatter one value; one of them has the derivative. Some lie outside.
-- ==
-- entry: repeated
-- input { 0i64 3i64 } output { true }
-- input { 20i64 3i64 } output { true }
-- input { 1000i64 70i64 } output { true }
entry repeated (n: i64) (k: i64): bool =
  let is = tabulate n (\i -> (i * 7) % (k + 2) - 1)
  let f (c: f64, d: [k]f64) = f64.sum (map (\y -> y * y) (scatter (copy d) is (map (\i -> c * f64.i64 (i + 1)) is)))
  let hit = scatter (replicate k false) is (replicate n true)
  let d = vector k
  let (dc, dd) = vjp f (3, d) 1
  in dc == f64.sum (map2 (\i h -> if h then 6 * f64.i64 (i + 1) ** 2 else 0) (iota k) hit) && and (map3 (\a x h -> a == (if h then 0 else 2 * x)) dd d hit)
