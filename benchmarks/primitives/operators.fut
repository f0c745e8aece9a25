-- operators.fut - reductions by operators that are no sums, and no least or greatest numbers.

-- ==
-- entry: greatest
-- input { [1f64, 5f64, 3f64, 5f64] } output { 5f64 1i64 }
-- notest random input { [1000000]f64 }
entry greatest [n] (xs: [n]f64): (f64, i64) =
  reduce (\(a, i) (b, j) -> if a > b || (a == b && i < j) then (a, i) else (b, j)) (-f64.inf, -1) (zip xs (iota n))

-- ==
-- entry: greatest_two
-- input { [1f64, 5f64, 3f64, 4f64] } output { 5f64 4f64 }
-- notest random input { [1000000]f64 }
entry greatest_two [n] (xs: [n]f64): (f64, f64) =
  reduce (\(a, b) (c, d) -> if a > c then (a, f64.max b c) else (c, f64.max a d)) (-f64.inf, -f64.inf) (map (\x -> (x, -f64.inf)) xs)

-- ==
-- entry: greatest_sum
-- input { [1i32, -5i32, 3i32, 4i32, -1i32] } output { 7i32 }
-- notest random input { [1000000]i32 }
entry greatest_sum [n] (xs: [n]i32): i32 =
  (reduce (\(a, b, c, d) (e, f, g, h) -> (i32.max a (i32.max e (c + f)), i32.max b (d + f), i32.max g (c + h), d + h)) (0, 0, 0, 0)
          (map (\x -> (i32.max x 0, i32.max x 0, i32.max x 0, x)) xs)).0

-- ==
-- entry: brackets
-- input { [true, true, false, false, false, true] } output { 1i64 1i64 }
-- notest random input { [1000000]bool }
entry brackets [n] (opens: [n]bool): (i64, i64) =
  reduce (\(a, b) (c, d) -> let m = i64.min b c in (a + c - m, b + d - m)) (0, 0) (map (\o -> if o then (0, 1) else (1, 0)) opens)

-- ==
-- entry: mean_variance
-- input { [1f64, 2f64, 3f64, 6f64] } output { 3f64 3.5f64 }
-- notest random input { [1000000]f64 }
entry mean_variance [n] (xs: [n]f64): (f64, f64) =
  let both (n1, m1, s1) (n2, m2, s2) =
    if n1 == 0 then (n2, m2, s2) else if n2 == 0 then (n1, m1, s1) else
    let d = m2 - m1
    let n = n1 + n2
    in (n, m1 + d * n2 / n, s1 + s2 + d * d * n1 * n2 / n)
  let (k, m, s) = reduce both (0, 0, 0) (map (\x -> (1f64, x, 0f64)) xs)
  in (m, s / k)

-- ==
-- entry: complex_product
-- input { [0f64, 0f64] } output { 1f64 0f64 }
-- notest random input { [1000000]f64 }
entry complex_product [n] (xs: [n]f64): (f64, f64) =
  reduce (\(a, b) (c, d) -> (a * c - b * d, a * d + b * c)) (1, 0) (map (\x -> (1 + 1e-6 * x, 1e-6 * x)) xs)

-- The logarithm of a sum of powers, without overflow.
-- ==
-- entry: log_sum
-- input { [0f64, 0f64] } output { 0.6931471805599453f64 }
-- notest random input { [1000000]f64 }
entry log_sum [n] (xs: [n]f64): f64 =
  let (m, s) = reduce (\(a, s) (b, t) -> let m = f64.max a b in (m, s * f64.exp (a - m) + t * f64.exp (b - m))) (-f64.highest, 0) (map (\x -> (x, 1)) xs)
  in m + f64.log s

-- ==
-- entry: hash
-- input { [1u64, 2u64, 3u64] } output { 1026u64 }
-- notest random input { [1000000]u64 }
entry hash [n] (xs: [n]u64): u64 = (reduce (\(a, m) (b, q) -> (a * q + b, m * q)) (0, 1) (map (\x -> (x, 31)) xs)).0
