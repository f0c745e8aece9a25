-- Conditions and clamps at the ends of loops, with all numbers of iterations around those that they tell apart.

-- ==
-- entry: between
-- input { empty([0]f64) } output { empty([0]f64) }
-- input { [1f64] } output { [1f64] }
-- input { [1f64, 2f64] } output { [3f64, 3f64] }
-- input { [1f64, 2f64, 4f64] } output { [3f64, 7f64, 6f64] }
-- input { [1f64, 2f64, 4f64, 8f64, 16f64] } output { [3f64, 7f64, 14f64, 28f64, 24f64] }
entry between [n] (xs: [n]f64): [n]f64 =
  tabulate n (\i -> (if i > 0 then xs[i - 1] else 0) + xs[i] + (if i < n - 1 then xs[i + 1] else 0))

-- ==
-- entry: clamped
-- input { empty([0]i64) } output { empty([0]i64) }
-- input { [1i64] } output { [111i64] }
-- input { [1i64, 2i64] } output { [211i64, 211i64] }
-- input { [1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64] } output { [311i64, 411i64, 512i64, 623i64, 734i64, 745i64, 756i64] }
entry clamped [n] (xs: [n]i64): [n]i64 =
  tabulate n (\i -> 100 * xs[i64.min (n - 1) (i + 2)] + 10 * xs[i64.max 0 (i - 2)] + xs[i64.max 0 (i64.min (n - 1) (i - 1))])

-- ==
-- entry: around
-- input { empty([0]f64) } output { empty([0]f64) empty([0]f64) }
-- input { [5f64] } output { [15f64] [15f64] }
-- input { [1f64, 2f64, 4f64] } output { [8f64, 9f64, 4f64] [10f64, 6f64, 5f64] }
entry around [n] (xs: [n]f64): ([n]f64, [n]f64) =
  let f ys = map2 (\a b -> 2 * a + b) (rotate 1 ys) (rotate (-1) ys)
  in (f xs, vjp f xs xs)

-- ==
-- entry: derivative
-- input { empty([0]f64) } output { empty([0]f64) }
-- input { [3f64] } output { [3f64] }
-- input { [3f64, 1f64] } output { [1f64, 4f64] }
-- input { [3f64, 1f64, 2f64, 5f64, 4f64] } output { [1f64, 5f64, 2f64, 0f64, 3f64] }
entry derivative [n] (xs: [n]f64): [n]f64 =
  let f ys = tabulate n (\i ->
    let low = if i >= 1 then f64.min ys[i - 1] ys[i] else ys[i]
    in low + (if i == n - 1 then ys[i] else 0) + f64.min low ys[i64.min (n - 1) (i + 1)])
  in vjp f xs (replicate n 1)

-- All that a comparison can be, against the same with bounds that come as data.
-- ==
-- entry: comparisons
-- input { 0i64 [0i64, 1i64, 2i64, 3i64, 4i64, 5i64] } output { true }
-- input { 1i64 [0i64, 1i64, 2i64, 3i64, 4i64, 5i64] } output { true }
-- input { 2i64 [0i64, 1i64, 2i64, 3i64, 4i64, 5i64] } output { true }
-- input { 3i64 [0i64, 1i64, 2i64, 3i64, 4i64, 5i64] } output { true }
-- input { 4i64 [0i64, 1i64, 2i64, 3i64, 4i64, 5i64] } output { true }
-- input { 5i64 [0i64, 1i64, 2i64, 3i64, 4i64, 5i64] } output { true }
-- input { 6i64 [0i64, 1i64, 2i64, 3i64, 4i64, 5i64] } output { true }
-- input { 7i64 [0i64, 1i64, 2i64, 3i64, 4i64, 5i64] } output { true }
-- input { 8i64 [0i64, 1i64, 2i64, 3i64, 4i64, 5i64] } output { true }
-- input { 9i64 [0i64, 1i64, 2i64, 3i64, 4i64, 5i64] } output { true }
-- input { 20i64 [0i64, 1i64, 2i64, 3i64, 4i64, 5i64] } output { true }
-- input { -1i64 [0i64, 1i64, 2i64, 3i64, 4i64, 5i64] } output { true }
-- input { -7i64 [0i64, 1i64, 2i64, 3i64, 4i64, 5i64] } output { true }
entry comparisons (n: i64) (k: [6]i64): bool =
  let first (i: i64) (p: i64) (q: i64) (r: i64) =
    2 * (if i < p then 1 else 3) + 5 * (if i <= p then 2 else i) + 7 * (if p < i then i else 1) + 11 * (if p <= i then 1 else 2)
    + 13 * (if i == p then 1 else i) + 17 * (if i != p then 1 else i) + 19 * i64.min i p + 23 * i64.max i p
    + 29 * (if i < q then 1 else 3) + 31 * (if i <= q then 2 else i) + 37 * (if q < i then i else 1) + 41 * (if q <= i then 1 else 2)
    + 43 * (if i == q then 1 else i) + 47 * (if i != q then 1 else i) + 53 * i64.min i q + 59 * i64.max i q
    + 61 * (if i + 1 < r then 1 else 3) + 67 * i64.min (i + 2) r + 71 * i64.max (i - 2) r
  let sum p q r = loop s = 0 for i < n do s * 3 + first i p q r
  in sum 0 n (n - 1) == sum k[0] (n - k[0]) (n - k[1])
     && sum 1 (n - 1) n == sum k[1] (n - k[1]) (n - k[0])
     && sum 2 (n - 2) (n - 3) == sum k[2] (n - k[2]) (n - k[3])
     && sum 3 (n - 3) (n - 2) == sum k[3] (n - k[3]) (n - k[2])
     && sum 4 (n - 4) (n + 1) == sum k[4] (n - k[4]) (n + k[1])
     && sum 5 (n - 5) (n + 2) == sum k[5] (n - k[5]) (n + k[2])

-- Each iteration once, in order; those at the end fail where they do.
-- ==
-- entry: order
-- input { 0i64 } output { 0i64 }
-- input { 1i64 } output { 1i64 }
-- input { 2i64 } output { 12i64 }
-- input { 7i64 } output { 1223334i64 }
-- input { 8i64 } error: out of bounds
entry order (n: i64): i64 =
  let xs = [10, 20, 30, 40, 50, 60, 70]
  let at = [1, 2, 3, 4]
  in loop s = 0 for i < n do 10 * s + at[(if i < 1 then 0 else if i < 3 then 1 else if i < n - 1 then 2 else 3)] + xs[i] - 10 * (i + 1)

-- Sums that are divided among threads: the ends of the range are in the first and the last part.
-- ==
-- entry: parts
-- input { 150i64 } output { true }
entry parts (m: i64): bool =
  loop same = true for n < m do
    let xs = tabulate n (\i -> (i * 7 + n) % 11)
    let f i = 100 * xs[i64.min (n - 1) (i + 2)] + 10 * xs[(i + 1) % n] + (if i > 0 then xs[i - 1] else 5)
    in same && i64.sum (map f (iota n)) == (loop s = 0 for i < n do s + f i)
