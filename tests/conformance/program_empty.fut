-- Empty arrays of every shape through every operator.

-- ==
-- entry: e1
-- input { empty([0]i32) }
-- output { 7i32 empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) -2147483648i32 2147483647i32
--   empty([0]i32) empty([2][0]i32) empty([0]i32) [0i32, 0i32] empty([0]i32) }
entry e1 [n] (xs: [n]i32) =
  (reduce (+) 7 xs, scan (+) 0 xs, map (+ 1) xs, filter (> 0) xs, reverse xs, rotate 3 xs,
   i32.maximum xs, i32.minimum xs, xs ++ xs, replicate 2 xs,
   scatter (copy xs) [0] [1], hist (+) 0 2 (map i64.i32 xs) xs, (partition (> 0) xs).0)

-- ==
-- entry: e2
-- input { empty([0][3]f32) }
-- output { empty([3][0]f32) empty([0]f32) empty([0]f32) empty([0][3]f32) [0.0f32, 0.0f32, 0.0f32] empty([0][3]f32)
--   empty([0][3]f32) empty([0][3]f32) 0i64 3i64 }
-- input { empty([3][0]f32) }
-- output { empty([0][3]f32) empty([0]f32) [0.0f32, 0.0f32, 0.0f32] empty([3][0]f32) empty([0]f32) empty([3][0]f32)
--   empty([6][0]f32) empty([3][0]f32) 3i64 0i64 }
-- input { empty([0][0]f32) }
-- output { empty([0][0]f32) empty([0]f32) empty([0]f32) empty([0][0]f32) empty([0]f32) empty([0][0]f32) empty([0][0]f32)
--   empty([0][0]f32) 0i64 0i64 }
entry e2 [n] [m] (a: [n][m]f32) =
  (transpose a, flatten a, map f32.sum a, map (map (+ 1)) a, reduce (map2 (+)) (replicate m 0) a,
   scan (map2 (+)) (replicate m 0) a, a ++ a, map reverse a, n, m)

-- ==
-- entry: e3
-- input { 0i64 }
-- output { empty([0][2][0]i64) empty([0][0][2]i64) empty([0]i64) empty([0][2]i64) empty([0]i64) empty([0][1]i64) 0i64 }
-- input { 2i64 }
-- output { [[[0i64, 1i64], [1i64, 2i64]], [[1i64, 2i64], [2i64, 3i64]]] [[[0i64, 1i64], [1i64, 2i64]], [[1i64, 2i64], [2i64,
--   3i64]]] [0i64, 1i64, 1i64, 2i64, 1i64, 2i64, 2i64, 3i64] [[1i64, 3i64], [3i64, 5i64]] [0i64, 1i64] [[0i64], [1i64]] 4i64
--   }
entry e3 (n: i64) =
  let a = tabulate_3d n 2 n (\i j k -> i + j + k)
  let (p, q) = unzip (map (\i -> (i, [i])) (iota n))
  in (a, map transpose a, flatten_3d a, map (\b -> map i64.sum b) a, p, q, i64.sum (map length a))
