-- Products whose rows or columns lie at computed places: they are checked before (passes/locality/checks_apart.cc), at sizes that become tiles
-- and at those that do not.
-- ==
-- entry: lookup
-- input { 20i64 9i64 7i64 [0i64, 3i64, 1i64, 0i64, 2i64, 1i64, 1i64, 3i64, 0i64, 2i64] } output { true }
-- input { 3i64 2i64 2i64 [0i64, 1i64] } output { true }
-- input { 20i64 9i64 7i64 [0i64, 3i64, 1i64, 0i64, 2i64, 20i64, 1i64, -1i64, 0i64, 2i64] } error: Index \[(20|-1)\] out of bounds for array of shape \[20\]
-- input { 20i64 9i64 7i64 [0i64, 3i64, 1i64, 0i64, 2i64, 1i64, 1i64, -1i64, 20i64, 2i64] } error: Index \[(20|-1)\] out of bounds for array of shape \[20\]
-- input { 20i64 9i64 7i64 [50i64] } error: Index \[50\] out of bounds for array of shape \[20\]
-- input { 20i64 0i64 7i64 [0i64, 3i64, 1i64, 0i64, 2i64, 20i64, 1i64, -1i64, 0i64, 2i64] } output { true }

-- ==
-- entry: columns
-- input { 20i64 9i64 7i64 [0i64, 3i64, 1i64, 0i64, 2i64, 1i64, 1i64, 3i64, 0i64, 2i64] } output { true }
-- input { 20i64 9i64 7i64 [0i64, 3i64, 1i64, 0i64, 2i64, 20i64, 1i64, -1i64, 0i64, 2i64] } error: Index \[(20|-1)\] out of bounds for array of shape \[20\]
-- input { 20i64 0i64 7i64 [0i64, 3i64, 1i64, 0i64, 2i64, 20i64, 1i64, -1i64, 0i64, 2i64] } output { true }

-- ==
-- entry: both
-- input { 20i64 7i64 [0i64, 3i64, 1i64, 0i64, 2i64, 1i64, 1i64, 3i64, 0i64, 2i64] [5i64, 6i64, 7i64, 8i64, 9i64, 10i64, 11i64, 12i64, 13i64] } output { true }
-- input { 20i64 7i64 [0i64, 30i64, 1i64, 0i64, 2i64, 1i64, 1i64, 3i64, 0i64, 2i64] [5i64, 6i64, 7i64, 8i64, 9i64, 10i64, 11i64, 12i64, 40i64] }
-- error: Index \[(30|40)\] out of bounds

-- ==
-- entry: gradient
-- input { 20i64 9i64 7i64 [0i64, 3i64, 1i64, 0i64, 2i64, 1i64, 1i64, 3i64, 0i64, 2i64] } output { true }
-- input { 20i64 9i64 7i64 [0i64, 3i64, 1i64, 0i64, 2i64, 20i64, 1i64, -1i64, 0i64, 2i64] } error: Index \[(20|-1)\] out of bounds for array of shape \[20\]

-- ==
-- entry: empty_rows empty_sums empty_products
-- input { 20i64 0i64 [0i64, 3i64, -1i64] } error: Index \[-1\] out of bounds for array of shape \[20\]
-- input { 20i64 2i64 [0i64, 3i64, -1i64] } error: Index \[-1\] out of bounds for array of shape \[20\]

-- ==
-- entry: empty_rows
-- input { 20i64 0i64 [0i64, 3i64] } output { empty([2][0]f64) }

-- ==
-- entry: empty_sums
-- input { 20i64 0i64 [0i64, 3i64] } output { [0f64, 0f64] }

-- ==
-- entry: empty_products
-- input { 20i64 0i64 [0i64, 3i64] } output { [[0f64, 0f64, 0f64], [0f64, 0f64, 0f64]] }

def matrix (n: i64) (m: i64) : [n][m]f64 = tabulate_2d n m (\i j -> f64.i64 ((i * m + j) * 7 % 23 - 11))

entry lookup [n] (v: i64) (m: i64) (q: i64) (is: [n]i64) : bool =
  let (e, w) = (matrix v q, matrix m q)
  let p = map (\i -> map (\y -> f64.sum (map2 (*) e[i] y)) w) is
  in and (flatten (tabulate_2d n m (\k j -> p[k, j] == f64.sum (tabulate q (\l -> e[is[k], l] * w[j, l])))))

entry columns [n] (v: i64) (m: i64) (q: i64) (is: [n]i64) : bool =
  let (e, w) = (matrix m q, matrix v q)
  let p = map (\x -> map (\i -> f64.minimum (map2 (+) x w[i])) is) e
  in and (flatten (tabulate_2d m n (\k j -> p[k, j] == f64.minimum (tabulate q (\l -> e[k, l] + w[is[j], l])))))

entry both [n] [m] (v: i64) (q: i64) (is: [n]i64) (js: [m]i64) : bool =
  let e = matrix v q
  let p = map (\i -> let x = e[i] in map (\j -> f64.sum (map2 (*) x e[j])) js) is
  in and (flatten (tabulate_2d n m (\k j -> p[k, j] == f64.sum (tabulate q (\l -> e[is[k], l] * e[js[j], l])))))

-- Of a sum of squares, by hand: 2 s e and 2 s w.
entry gradient [n] (v: i64) (m: i64) (q: i64) (is: [n]i64) : bool =
  let (e, w) = (matrix v q, matrix m q)
  let (de, dw) = vjp (\(e, w) -> f64.sum (flatten (map (\i -> map (\y -> let s = f64.sum (map2 (*) e[i] y) in s * s) w) is))) (e, w) 1
  let s = map (\i -> map (\y -> f64.sum (map2 (*) e[i] y)) w) is
  let dw' = tabulate_2d m q (\j l -> f64.sum (tabulate n (\k -> 2 * s[k, j] * e[is[k], l])))
  let de' = tabulate_2d v q (\r l -> f64.sum (flatten (tabulate_2d n m (\k j -> if is[k] == r then 2 * s[k, j] * w[j, l] else 0))))
  in and (flatten (map2 (map2 (==)) de de')) && and (flatten (map2 (map2 (==)) dw dw'))

-- Where rows are empty they are checked nevertheless.
entry empty_rows [n] (v: i64) (q: i64) (is: [n]i64) : [n][q]f64 = let e = opaque (matrix v q) in map (\i -> e[i]) is
entry empty_sums [n] (v: i64) (q: i64) (is: [n]i64) : [n]f64 = let e = opaque (matrix v q) in map (\i -> f64.sum e[i]) is
entry empty_products [n] (v: i64) (q: i64) (is: [n]i64) : [n][3]f64 =
  let (e, w) = opaque (matrix v q, matrix 3 q)
  in map (\i -> map (\y -> f64.sum (map2 (*) e[i] y)) w) is
