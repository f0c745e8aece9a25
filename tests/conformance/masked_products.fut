-- Products of matrices where the program wants only a triangle.
-- ==
-- entry: scores
-- input { [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] [[1.0, 1.0], [0.5, 2.0], [f64.inf, 1.0]] }
-- output { [[3.0, -1.0, -1.0], [7.0, 9.5, -1.0], [11.0, 14.5, f64.inf]] }
def sums [n][d] (q: [n][d]f64) (k: [n][d]f64): [n][n]f64 =
  tabulate_2d n n (\i j -> if j <= i then f64.sum (map2 (*) q[i] k[j]) else -1)
entry scores [n][d] (q: [n][d]f64) (k: [n][d]f64) = sums q k

-- An element that is infinite has no part in the adjoints of rows that do not see it.
-- ==
-- entry: scores_gradient
-- input { [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] [[1.0, 1.0], [0.5, 2.0], [2.0, 1.0]] }
-- output { [[1.0, 1.0], [1.5, 3.0], [3.5, 4.0]] [[9.0, 12.0], [8.0, 10.0], [5.0, 6.0]] }
-- input { [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] [[1.0, 1.0], [0.5, 2.0], [f64.inf, 1.0]] }
-- output { [[1.0, 1.0], [1.5, 3.0], [f64.inf, 4.0]] [[9.0, 12.0], [8.0, 10.0], [5.0, 6.0]] }
entry scores_gradient [n][d] (q: [n][d]f64) (k: [n][d]f64) = vjp (\(q, k) -> f64.sum (flatten (sums q k))) (q, k) 1

-- The condition keeps an index inside of its array: its sum may not be made without it.
-- ==
-- entry: differences
-- input { [[1, 2], [3, 4], [5, 6]] } output { [[0, 0, 0], [11, 0, 0], [39, 17, 0]] }
entry differences [n][d] (q: [n][d]i32): [n][n]i32 =
  tabulate_2d n n (\i j -> if j < i then i32.sum (map2 (*) q[i - j - 1] q[i]) else 0)

-- Sums large enough for tiles, against those of the whole product.
-- ==
-- entry: agrees
-- input { 40i64 33i64 } output { true true }
-- input { 7i64 3i64 } output { true true }
entry agrees (n: i64) (d: i64) =
  let q = tabulate_2d n d (\i j -> i32.i64 ((i * 7 + j * 3) % 11))
  let k = tabulate_2d n d (\i j -> i32.i64 ((i * 5 + j) % 13))
  let some = map (\i -> map (\j -> if i < j then i32.sum (map2 (*) q[i] k[j]) else -1) (iota n)) (iota n)
  let whole = map (\x -> map (\y -> i32.sum (map2 (*) x y)) k) q
  in (and (map (\i -> and (map (\j -> some[i, j] == if i < j then whole[i, j] else -1) (iota n))) (iota n)),
      i32.sum (flatten some) < i32.sum (flatten whole))
