-- Sizes computed inside lambdas, entry sizes, jacobians, constants that are entry points.
-- ==
-- entry: inner_size
-- input { 3i64 2i64 } output { [[0i64,1i64,2i64,3i64,4i64],[0i64,2i64,4i64,6i64,8i64]] 5i64 }
entry inner_size (n: i64) (k: i64) =
  let m = n + k
  let rows = map (\i -> let w = m in tabulate w (\j -> j * (i + 1))) (iota k)
  in (rows, length rows[0])
-- ==
-- entry: expr_size
-- input { [1i32,2i32,3i32] } output { [2i32,3i32] [1i32,2i32] }
entry expr_size [n] (xs: [n]i32) : ([n-1]i32, [n-1]i32) = (tail xs, init xs)
-- ==
-- entry: exprparam
-- input { 2i64 [1i32,2i32,3i32] } output { 6i32 }
-- input { 3i64 [1i32,2i32,3i32] } error: invalid sizes
entry exprparam (n: i64) (xs: [n+1]i32) = i32.sum xs
-- ==
-- entry: square
-- input { [[1i32,2i32],[3i32,4i32]] } output { 5i32 }
-- input { [[1i32,2i32,3i32],[3i32,4i32,5i32]] } error: invalid sizes
entry square [n] (a: [n][n]i32) = i32.sum (map (\i -> a[i,i]) (iota n))
-- ==
-- entry: jac
-- input { [1.0,2.0] } output { [[2.0,0.0],[0.0,4.0],[2.0,1.0]] [[2.0,0.0],[0.0,4.0],[2.0,1.0]] }
entry jac [n] (xs: [n]f64) =
  let f (ys: [n]f64) = map (\y -> y * y) ys ++ [f64.product ys]
  let eye k = tabulate_2d k k (\i j -> f64.bool (i == j))
  in (transpose (map (jvp f xs) (eye n)), mjp f xs (eye (n + 1)))
-- ==
-- entry: filters
-- input { [[1i32,-2i32],[3i32,4i32]] } output { [1i32,2i32] 3i64 }
entry filters [n][m] (a: [n][m]i32) =
  (map (\r -> i32.i64 (length (filter (> 0) r))) a, length (filter (> 0) (flatten a)))
-- ==
-- entry: opt
-- input { [3i32, -1i32] } output { [3i32, 0i32] }
entry opt (xs: []i32) =
  let safe (x: i32): (#none | #some i32) = if x > 0 then #some x else #none
  in map (\x -> match safe x case #some y -> y case #none -> 0) xs
module m = { module n = { def f 'a (g: a -> a) (x: a) = g (g x) } }
-- ==
-- entry: dotted
-- input { 2i32 } output { 6i32 }
entry dotted (x: i32) = m.n.f (+ 2) x
-- ==
-- entry: consumed_rows
-- input { [[1i32,2i32],[3i32,4i32]] } output { [[9i32,2i32],[9i32,4i32]] }
entry consumed_rows [n] (a: *[n][2]i32) = loop a for i < n do a with [i, 0] = 9
-- ==
-- entry: u64s
-- input { 18446744073709551615u64 2u64 } output { 9223372036854775807u64 1u64 1u64 }
entry u64s (x: u64) (y: u64) = (x / y, x % y, x + y)
-- ==
-- entry: neg_pow
-- input { 2.0 -2i32 } output { 0.25 8i32 }
entry neg_pow (x: f64) (k: i32) = (x ** f64.i32 k, 2 ** 3i32)
-- ==
-- entry: strings
-- input { } output { [104u8,105u8] true }
entry strings = ("hi", "ab" == "ab")
