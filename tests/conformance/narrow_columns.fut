-- Sums of columns of few and of many rows' elements, and what they add to an accumulator.
-- ==
-- entry: columns
-- input { 1000i64 0i64 } output { 0i64 }
-- input { 1000i64 1i64 } output { 10021i64 }
-- input { 1000i64 3i64 } output { 60088i64 }
-- input { 1000i64 11i64 } output { 659835i64 }
-- input { 1000i64 12i64 } output { 780087i64 }
-- input { 1000i64 40i64 } output { 8199110i64 }
-- input { 0i64 3i64 } output { 0i64 }
entry columns (n: i64) (m: i64): i64 =
  let u = opaque (tabulate_2d n m (\i j -> i32.i64 ((i * 7 + j) % 11)))
  let w = opaque (tabulate n (\i -> i32.i64 (i % 5)))
  in i64.sum (map2 (\s j -> i64.i32 s * (j + 1)) (map (\c -> i32.sum (map2 (*) c w)) (transpose u)) (iota m))

-- ==
-- entry: gradient
-- input { 5i64 3i64 } output { 1240f64 }
-- input { 6i64 20i64 } output { 7236f64 }
entry gradient (n: i64) (m: i64): f64 =
  let u = opaque (tabulate_2d n m (\i j -> f64.i64 ((i * 7 + j) % 11)))
  let w = opaque (tabulate n (\i -> f64.i64 (i % 5)))
  let f w = map (\c -> f64.sum (map2 (\x y -> x * y * y) c w)) (transpose u)
  in f64.sum (map2 (\d i -> d * f64.i64 (i + 1)) (vjp f w (tabulate m (\j -> f64.i64 (j % 3)))) (iota n))
