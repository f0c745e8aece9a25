-- What is made of a scan, element by element, beside other elements, in rows of every length, and with its gradient.

-- ==
-- entry: sums_and_squares
-- input { [1.0, 2.0, 3.0] [10.0, 20.0, 30.0] } output { [11.0, 23.0, 36.0] [1.0, 9.0, 36.0] [1.0, 3.0, 6.0] }
-- input { empty([0]f64) empty([0]f64) } output { empty([0]f64) empty([0]f64) empty([0]f64) }
entry sums_and_squares [n] (xs: [n]f64) (ys: [n]f64): ([n]f64, [n]f64, [n]f64) =
  let s = scan (+) 0 xs
  in (map2 (+) s ys, map (\x -> x * x) s, s)

-- Long enough for vectors, and some elements more.
-- ==
-- entry: long
-- input { 1000i64 } output { 499500i64 83208250i64 }
-- input { 255i64 } output { 32385i64 1373632i64 }
-- input { 0i64 } output { 0i64 0i64 }
entry long (n: i64): (i64, i64) =
  let is = iota n
  let s = map2 (\x i -> x - i * 2) (scan (+) 0 (map (\i -> i / 2) is)) is
  let t = map2 (\a i -> a + i) (scan i64.max 0 is) is
  in (i64.sum t / 2, i64.sum (map2 (\x i -> x + 2 * i) s is))

-- ==
-- entry: rows
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[2, 6, 12], [8, 18, 30]] }
-- input { [[1], [4]] } output { [[2], [8]] }
-- input { empty([3][0]i32) } output { empty([3][0]i32) }
entry rows [n] [k] (xss: [n][k]i32): [n][k]i32 = map (map (* 2)) (map (scan (+) 0) xss)

-- The map may fail, and fails where it does.
-- ==
-- entry: quotients
-- input { [1, 2, 3] [1, 3, 2] } output { [1, 1, 3] }
-- input { [1, 2, 3] [1, 0, 2] } error: division by zero
entry quotients [n] (xs: [n]i32) (ys: [n]i32): [n]i32 = map2 (/) (scan (+) 0 xs) ys

-- ==
-- entry: gradient
-- input { [1.0, 2.0, 3.0] [2.0, 3.0, 4.0] } output { [70.0, 66.0, 48.0] [1.0, 9.0, 36.0] }
entry gradient [n] (xs: [n]f64) (ys: [n]f64): ([n]f64, [n]f64) =
  vjp (\(xs, ys) -> f64.sum (map2 (\s y -> s * s * y) (scan (+) 0 xs) ys)) (xs, ys) 1

-- The place of an element, which a scan does not change.
-- ==
-- entry: places
-- input { [5i64, 1i64, 2i64] } output { [0i64, 6i64, 16i64] [5i64, 0i64, -1i64] }
-- input { empty([0]i64) } output { empty([0]i64) empty([0]i64) }
entry places [n] (xs: [n]i64): ([n]i64, [n]i64) =
  (map2 (\s i -> s * i) (scan (+) 0 xs) (iota n), map2 (-) (scan i64.min i64.highest xs) (indices xs))

-- Sums of scans, and scans of scans, whose elements nobody else reads.
-- ==
-- entry: sums_of_rows
-- input { [[1.0, 2.0, -4.0], [3.0, -1.0, 2.0]] } output { [3.0, 9.0] [3.0, 4.0] [7.0, 10.0] }
-- input { [[2.0], [-1.0]] } output { [2.0, -1.0] [2.0, -1.0] [2.0, 0.0] }
-- input { empty([2][0]f64) } output { [0.0, 0.0] [-f64.inf, -f64.inf] [0.0, 0.0] }
entry sums_of_rows [n] [k] (xss: [n][k]f64): ([n]f64, [n]f64, [n]f64) =
  (map (\xs -> f64.sum (scan (+) 0 xs)) xss, map (\xs -> f64.maximum (scan (+) 0 xs)) xss,
   map (\xs -> f64.sum (scan f64.max 0 (scan (+) 0 xs))) xss)

-- What reads the elements fails where it does.
-- ==
-- entry: elements_after
-- input { [[1, 2, 0], [1, 1, 1]] [4, 5, 6, 7] } output { [19, 18] }
-- input { [[1, 2, 0], [1, 1, 2]] [4, 5, 6, 7] } error: out of bounds
entry elements_after [n] [k] [m] (iss: [n][k]i32) (table: [m]i32): [n]i32 =
  map (\is -> i32.sum (map (\i -> table[i]) (scan (+) 0 is))) iss
