-- Adjoints of permuted arrays that accumulate: a part of an array, three dimensions turned, rows reversed.
def num (s: i64) (i: i64): f64 = f64.i64 (((i * 7919 + s * 31) % 1013) % 7 - 3)
def some_3d (s: i64) (n: i64) (m: i64) (k: i64): [n][m][k]f64 = opaque (tabulate_3d n m k (\i j l -> num s ((i * m + j) * k + l)))
def digest (xs: []f64): f64 = f64.sum (map2 (\x i -> x * f64.i64 (i % 97 + 1)) xs (indices xs))

-- ==
-- entry: turned
-- input { 3i64 4i64 5i64 } output { -8728f64 }
-- input { 9i64 8i64 7i64 } output { -66572f64 }
entry turned (n: i64) (m: i64) (k: i64): f64 =
  let x = some_3d 1 n m k
  let w = some_3d 2 6 m k
  let f (x: [n][m][k]f64) =
    f64.sum (tabulate 6 (\q ->
      let y = map transpose (transpose x)              -- [m][k][n]
      in f64.sum (map2 (\y w -> f64.sum (map2 (\y w -> f64.sum (map (\v -> v * v * w) y)) y w)) y w[q])))
  in digest (flatten_3d (vjp f x 1))

-- ==
-- entry: parts
-- input { 3i64 4i64 5i64 } output { -4881f64 }
-- input { 6i64 9i64 8i64 } output { 81995f64 }
entry parts (n: i64) (m: i64) (k: i64): f64 =
  let x = some_3d 1 n m k
  let w = some_3d 2 6 k m
  let f (x: [n][m][k]f64) =
    f64.sum (map (\w -> f64.sum (map (\x -> let y = transpose x in f64.sum (map2 (\a b -> f64.sum (map2 (*) a b)) y w)) x)) w)
  let g (x: [n][m][k]f64) =
    f64.sum (map (\w -> f64.sum (map (\x -> let y = transpose x[1:, 0:3] in f64.sum (flatten (map (map (\v -> v * w[0, 0])) (reverse y)))) x)) w)
  in digest (flatten_3d (vjp f x 1)) + 3 * digest (flatten_3d (vjp g x 1))
