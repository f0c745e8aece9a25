-- Products of matrices that are zero outside of a triangle or band: the sums are as if the zeros were there.
def dot [n] (a: [n]i64) (b: [n]i64): i64 = i64.sum (map2 (*) a b)
def matmul [n] [m] [k] (a: [n][m]i64) (b: [m][k]i64): [n][k]i64 = map (\r -> map (dot r) (transpose b)) a
def matrix (n: i64) (m: i64): [n][m]i64 = tabulate_2d n m (\i j -> (7 * i + 3 * j) % 11 - 5)
-- The same matrix, of which nobody sees that it has zeros.
def stored [n] [m] (inside: i64 -> i64 -> bool) (q: [n][m]i64): [n][m]i64 =
  let at = filter (\(i, j) -> inside i j) (flatten (tabulate_2d n m (\i j -> (i, j))))
  in scatter_2d (replicate n (replicate m 0)) at (map (\(i, j) -> q[i, j]) at)
def masked [n] [m] (inside: i64 -> i64 -> bool) (q: [n][m]i64): [n][m]i64 =
  tabulate_2d n m (\i j -> if inside i j then q[i, j] else 0)
def equal [n] [m] (a: [n][m]i64) (b: [n][m]i64): bool = and (flatten (map2 (map2 (==)) a b))
def check (n: i64) (m: i64) (inside: i64 -> i64 -> bool): bool =
  let q = matrix n m
  in equal (matmul (masked inside q) (matrix m 5)) (matmul (stored inside q) (matrix m 5))
     && equal (matmul (matrix 5 n) (masked inside q)) (matmul (matrix 5 n) (stored inside q))
     && equal (matmul (transpose (masked inside q)) (matrix n 4)) (matmul (transpose (stored inside q)) (matrix n 4))
     && equal (matmul (masked inside q) (transpose (masked inside q))) (matmul (stored inside q) (transpose (stored inside q)))
     && equal (map (\r -> map (* 3) r) (matmul (masked inside q) (matrix m 5))) (matmul (stored inside q) (map (map (* 3)) (matrix m 5)))

-- ==
-- entry: triangles bands shifted
-- input { 6i64 6i64 2i64 } output { true }
-- input { 7i64 3i64 0i64 } output { true }
-- input { 3i64 8i64 1i64 } output { true }
-- input { 1i64 1i64 5i64 } output { true }
-- input { 0i64 4i64 1i64 } output { true }
-- input { 4i64 0i64 1i64 } output { true }
-- input { 5i64 5i64 -3i64 } output { true }
-- input { 5i64 5i64 9223372036854775807i64 } output { true }
entry triangles (n: i64) (m: i64) (_: i64) = check n m (\i j -> j <= i) && check n m (\i j -> j > i) && check n m (\i j -> i + j < n)
entry bands (n: i64) (m: i64) (w: i64) = check n m (\i j -> i64.abs (i - j) <= w) && check n m (\i j -> i == j)
entry shifted (n: i64) (m: i64) (w: i64) = check n m (\i j -> j <= w && i > 0) && check n m (\i j -> j >= w || i == 0) && check n m (\i j -> j == w)

-- Both factors, chains and squares; a map over rows that has no counter; derivatives with seeds in a band, of a stencil too.
def chain (n: i64) (inside: i64 -> i64 -> bool) (other: i64 -> i64 -> bool): bool =
  let (q, p) = (masked inside (matrix n n), masked other (transpose (matrix n n)))
  let (q', p') = (stored inside (matrix n n), stored other (transpose (matrix n n)))
  in equal (matmul q p) (matmul q' p')
     && equal (matmul q q) (matmul q' q')
     && equal (matmul (matmul p q) q) (matmul (matmul p' q') q')
     && equal (matmul (transpose q) (map2 (map2 (+)) p q)) (matmul (transpose q') (map2 (map2 (+)) p' q'))
     && map i64.sum q == map i64.sum q' && map i64.sum (transpose p) == map i64.sum (transpose p')

-- ==
-- entry: chains
-- input { 6i64 1i64 } output { true }
-- input { 5i64 0i64 } output { true }
-- input { 1i64 2i64 } output { true }
-- input { 0i64 1i64 } output { true }
-- input { 4i64 -1i64 } output { true }
-- input { 4i64 -9223372036854775808i64 } output { true }
entry chains (n: i64) (w: i64) =
  chain n (\i j -> i64.abs (i - j) <= w) (\i j -> i64.abs (i - j) <= 1)
  && chain n (\i j -> j <= i) (\i j -> j <= i + 1) && chain n (\i j -> j > i) (\i j -> j <= i)
  && chain n (\i j -> j == i || j == w) (\i j -> j + 1 == i)

-- ==
-- entry: rows_of_bands
-- input { 5i64 } output { [23.0, 101.0, 288.0, 271.0, 193.0] [37.0, 127.0, 204.0, 239.0, 149.0] }
-- input { 1i64 } output { [1.0] [1.0] }
-- input { 0i64 } output { empty([0]f64) empty([0]f64) }
entry rows_of_bands (n: i64) =
  let x = tabulate n (\i -> f64.i64 (i + 1))
  let f (x: [n]f64) = map (\i -> if i == 0 || i == n - 1 then x[i] else x[i - 1] * x[i] * x[i + 1]) (iota n)
  let seed i = tabulate n (\j -> if i64.abs (i - j) <= 1 then f64.i64 (j + 1) else 0)
  in (map (\i -> f64.sum (vjp f x (seed i))) (iota n), map (\i -> f64.sum (jvp f x (seed i))) (iota n))

-- Products of more than two factors in sums over triangles: of how many terms is known inside only.
-- ==
-- entry: sums_inside
-- input { 0i64 3i64 } output { empty([0]i64) empty([0]i64) }
-- input { 1i64 2i64 } output { [1i64] [2i64] }
-- input { 3i64 2i64 } output { [1i64, 7i64, 24i64] [10i64, 12i64, 14i64] }
entry sums_inside (m: i64) (n: i64) =
  let xs = tabulate_2d m n (\i k -> i + k)
  let f (xs: [m][n]i64): [m]i64 =
    map (\i -> i64.sum (map (\k -> i64.sum (map (\l -> xs[i, k] * xs[l, k]) (iota (i64.min m (i + 1))))) (iota n))) (iota m)
  let g (xs: [m][n]f64): f64 =
    f64.sum (map (\i -> f64.sum (map (\k -> f64.sum (map (\l -> xs[i, k] * xs[l, k]) (iota (i64.min m (i + 1))))) (iota n))) (iota m))
  in (f xs, map (map i64.f64 >-> i64.sum) (vjp g (map (map f64.i64) xs) 1))
