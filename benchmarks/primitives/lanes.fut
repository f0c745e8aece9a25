-- lanes.fut - maps whose elements run a loop of their own: iterations of an escape, of a root, of a random number, of a tree of prices.

-- ==
-- entry: mandelbrot
-- input { 3i64 } output { [[1i32, 2i32, 2i32], [1i32, 5i32, 256i32], [1i32, 5i32, 256i32]] }
entry mandelbrot (n: i64): [n][n]i32 =
  tabulate_2d n n (\i j ->
    let (cy, cx) = (-1.5 + 3 * f64.i64 i / f64.i64 n, -2 + 3 * f64.i64 j / f64.i64 n)
    in (loop (x, y, k) = (0f64, 0f64, 0i32) while k < 256 && x * x + y * y < 4 do (x * x - y * y + cx, 2 * x * y + cy, k + 1)).2)

-- ==
-- entry: roots
-- input { [4f64, 9f64] } output { [2f64, 3f64] }
entry roots [n] (xs: [n]f64): [n]f64 = map (\a -> loop x = a while f64.abs (x * x - a) > 1e-9 do 0.5 * (x + a / x)) xs

-- ==
-- entry: root_rows
-- input { [4f64, 9f64] } output { [[2f64, -2f64], [3f64, -3f64]] }
entry root_rows [n] (xs: [n]f64): [n][2]f64 =
  map (\a -> let x = loop x = a while f64.abs (x * x - a) > 1e-9 do 0.5 * (x + a / x) in [x, -x]) xs

-- ==
-- entry: polynomials
-- input { [1f64, 2f64, 3f64] [0f64, 1f64, 2f64] } output { [3f64, 6f64, 11f64] }
entry polynomials [n][d] (cs: [d]f64) (xs: [n]f64): [n]f64 = map (\x -> loop a = 0f64 for c in cs do a * x + c) xs

-- ==
-- entry: randoms
-- input { 2i64 } output { [10653220568048883440u64, 291523704757483576u64] }
entry randoms (n: i64): [n]u64 =
  tabulate n (\i -> loop s = u64.i64 i + 88172645463325252 for _k < 100 do
                      let s = s ^ (s << 13)
                      let s = s ^ (s >> 7)
                      in s ^ (s << 17))

-- Numbers of iterations that differ widely.
-- ==
-- entry: steps
-- input { 10i64 } output { [0i32, 1i32, 7i32, 2i32, 5i32, 8i32, 16i32, 3i32, 19i32, 6i32] }
entry steps (n: i64): [n]i32 =
  tabulate n (\i -> (loop (x, k) = (i + 1, 0i32) while x != 1 do (if x % 2 == 0 then x / 2 else 3 * x + 1, k + 1)).1)
