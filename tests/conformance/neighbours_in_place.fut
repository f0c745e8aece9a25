-- Parts of an array are updated by what is computed from other parts of it. A loop may write into the array itself where it reads no element
-- later that it has written.
-- ==
-- entry: forwards
-- input { [1f64, 2f64, 3f64, 4f64, 5f64, 6f64, 7f64, 8f64, 9f64, 10f64] 3i64 }
-- output { [0.84375f64, 1.265625f64, 1.6875f64, 2.109375f64, 2.53125f64, 2.953125f64, 3.375f64, 3.9375f64, 5.5f64, 10f64] }
-- input { [1f64] 3i64 }
-- output { [1f64] }

-- ==
-- entry: backwards
-- input { [1i64, 2i64, 3i64, 4i64, 5i64] 2i64 }
-- output { [1i64, 4i64, 8i64, 12i64, 16i64] }

-- ==
-- entry: shrinking
-- input { [1f64, 5f64, 2f64, 8f64, 3f64] }
-- output { [7.6875f64, 7.375f64, 6.75f64, 5.5f64, 3f64] }

-- ==
-- entry: halves
-- input { [1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64, 8i64, 9i64] }
-- output { [45i64, 14i64, 11i64, 13i64, 5i64, 6i64, 7i64, 8i64, 9i64] }

-- ==
-- entry: rows_up
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64], [7i64, 8i64, 9i64], [10i64, 11i64, 12i64]] }
-- output { [[-19i64, -20i64, -21i64], [82i64, 89i64, 96i64], [-53i64, -58i64, -63i64], [10i64, 11i64, 12i64]] }

-- ==
-- entry: rows_down
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64], [7i64, 8i64, 9i64], [10i64, 11i64, 12i64]] }
-- output { [[1i64, 2i64, 3i64], [-29i64, -34i64, -39i64], [-11i64, -10i64, -9i64], [-19i64, -20i64, -21i64]] }

-- ==
-- entry: rows_of_a_part
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64], [7i64, 8i64, 9i64]] }
-- output { [[1i64, 2i64, 3i64], [4i64, 2i64, 4i64], [7i64, 4i64, 2i64]] }
-- input { empty([0][0]i64) }
-- output { empty([0][0]i64) }

-- ==
-- entry: rows_from_their_ends
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64], [7i64, 8i64, 9i64]] }
-- output { [[1i64, 2i64, 3i64], [4i64, 11i64, 11i64], [7i64, 17i64, 34i64]] }

-- ==
-- entry: columns
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64], [7i64, 8i64, 9i64], [10i64, 11i64, 12i64]] }
-- output { [[25i64, -16i64, 3i64], [46i64, -31i64, 6i64], [67i64, -46i64, 9i64], [88i64, -61i64, 12i64]] }

-- ==
-- entry: far
-- input { [1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64] 3i64 }
-- output { [5i64, 7i64, 9i64, 11i64, 5i64, 6i64, 7i64] }
-- input { [1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64] 0i64 }
-- output { [2i64, 4i64, 6i64, 8i64, 10i64, 12i64, 14i64] }

-- ==
-- entry: near_then_far
-- input { [1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64] }
-- output { [321i64, 432i64, 58941i64, 71262i64, 83583i64, 8904i64, 1525i64] }

entry forwards [n] (v: *[n]f64) (times: i64): [n]f64 =
  loop v for _t < times do v with [0:n-1] = map2 (\a b -> 0.5 * a + 0.25 * b) (init v) (tail v)

entry backwards [n] (v: *[n]i64) (times: i64): [n]i64 =
  loop v for _t < times do v with [1:n] = map2 (+) (init v) (tail v)

entry shrinking [n] (v: *[n]f64): [n]f64 =
  loop v for t < n - 1 do
    let m = n - 1 - t
    in v with [0:m] = map2 (\a b -> f64.max b (0.5 * a + 0.5 * b)) (v[0:m] :> [m]f64) (v[1:m+1] :> [m]f64)

entry halves [n] (v: *[n]i64): [n]i64 =
  (loop (v, m) = (v, n) while m > 1 do
     let h = m / 2
     let k = m - h
     in (v with [0:h] = map2 (+) (v[0:h] :> [h]i64) (v[k:m] :> [h]i64), k)).0

entry rows_up [n][k] (v: *[n][k]i64): [n][k]i64 =
  loop v for _t < 3 do v with [0:n-1] = map2 (map2 (\a b -> a - 2 * b)) (init v) (tail v)

entry rows_down [n][k] (v: *[n][k]i64): [n][k]i64 =
  loop v for _t < 3 do v with [1:n] = map2 (map2 (\a b -> a - 2 * b)) (init v) (tail v)

entry columns [n][k] (v: *[n][k]i64): [n][k]i64 =
  loop v for _t < 3 do v with [:, 0:k-1] = map (\r -> map2 (\a b -> a - 2 * b) (init r) (tail r)) v

entry far [n] (v: *[n]i64) (s: i64): [n]i64 =
  let m = n - s
  in v with [0:m] = map2 (+) (v[0:m] :> [m]i64) (v[s:n] :> [m]i64)

entry near_then_far [n] (v: *[n]i64): [n]i64 =
  let w = v with [0:n-2] = map3 (\a b c -> a + 10 * b + 100 * c) (v[0:n-2] :> [n-2]i64) (v[1:n-1] :> [n-2]i64) (v[2:n] :> [n-2]i64)
  in w with [2:n] = map3 (\a b c -> a + 10 * b + 100 * c) (w[0:n-2] :> [n-2]i64) (w[1:n-1] :> [n-2]i64) (w[2:n] :> [n-2]i64)

entry rows_of_a_part [n] (a: *[n][n]i64) =
  loop a for k < n - 1 do
    let row = copy a[k, k + 1:]
    let factors = copy a[k + 1:, k]
    in a with [k + 1:, k + 1:] = map2 (\f r -> map2 (\x y -> (x - f * y) % 5) r row) factors a[k + 1:, k + 1:]

entry rows_from_their_ends [n] (a: *[n][n]i64) =
  loop a for k < n - 1 do
    let m = n - 1 - k
    in a with [k + 1:, k + 1:] = map (\(r: [m]i64) -> map2 (\x i -> x + r[m - 1 - i]) r (iota m)) (a[k + 1:, k + 1:] :> [m][m]i64)
