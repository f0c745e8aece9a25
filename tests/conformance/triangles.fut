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
