-- Maps over columns whose results are columns: elementwise, with what belongs to a column or a row, normalised, and with gradients.

-- ==
-- entry: scaled
-- input { [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] [10.0, 20.0] [1.0, 2.0, 3.0] } output { [[11.0, 22.0], [16.0, 28.0], [25.0, 38.0]] }
-- input { empty([0][2]f64) [10.0, 20.0] empty([0]f64) } output { empty([0][2]f64) }
-- input { empty([2][0]f64) empty([0]f64) [1.0, 2.0] } output { empty([2][0]f64) }
entry scaled [n] [k] (xss: [n][k]f64) (cs: [k]f64) (ys: [n]f64): [n][k]f64 =
  transpose (map2 (\column c -> map2 (\x y -> x * y + c) column ys) (transpose xss) cs)

-- ==
-- entry: centred
-- input { [[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]] } output { [[-2.0, -3.0], [0.0, -1.0], [2.0, 4.0]] }
-- input { [[1.0]] } output { [[0.0]] }
entry centred [n] [k] (xss: [n][k]f64): [n][k]f64 =
  transpose (map (\column -> let m = f64.sum column / f64.i64 n in map (\x -> x - m) column) (transpose xss))

-- ==
-- entry: both
-- input { [[1, 2], [3, 4], [5, 6]] [[1, 1, 1], [2, 2, 2]] } output { [[2, 4], [4, 6], [6, 8]] [[0, 0], [2, 2], [4, 4]] }
entry both [n] [k] (xss: [n][k]i32) (yss: [k][n]i32): ([n][k]i32, [n][k]i32) =
  let (a, b) = unzip (map2 (\xs ys -> unzip (map2 (\x y -> (x + y, x - y)) xs ys)) (transpose xss) yss)
  in (transpose a, transpose b)

-- A column that fails is reported.
-- ==
-- entry: fails
-- input { [[1, 2], [3, 4]] [1, 2] } output { [[1, 1], [3, 2]] }
-- input { [[1, 2], [3, 4]] [1, 0] } error: division by zero
entry fails [n] [k] (xss: [n][k]i32) (cs: [k]i32): [n][k]i32 = transpose (map2 (\column c -> map (/ c) column) (transpose xss) cs)

-- ==
-- entry: gradient
-- input { [[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]] } output { [[-4.0, -6.0], [0.0, -2.0], [4.0, 8.0]] }
entry gradient [n] [k] (xss: [n][k]f64): [n][k]f64 =
  vjp (\xss -> f64.sum (map (\x -> x * x) (flatten (centred xss)))) xss 1

-- A filter of columns reads their neighbours by place.
-- ==
-- entry: filtered
-- input { [[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]] [1.0, 10.0, 100.0] } output { [[311.0, 422.0], [531.0, 942.0], [553.0, 994.0]] }
-- input { empty([0][2]f64) [1.0, 10.0, 100.0] } output { empty([0][2]f64) }
entry filtered [n] [k] (xss: [n][k]f64) (kernel: [3]f64): [n][k]f64 =
  transpose (map (\column -> tabulate n (\i -> f64.sum (map (\j -> column[i64.max 0 (i64.min (n - 1) (i + j - 1))] * kernel[j]) (iota 3)))) (transpose xss))

-- A place outside of the column fails.
-- ==
-- entry: outside
-- input { [[1, 2], [3, 4]] [1i64, 0i64] } output { [[3, 4], [1, 2]] }
-- input { [[1, 2], [3, 4]] [1i64, 2i64] } error: out of bounds
entry outside [n] [k] (xss: [n][k]i32) (is: [n]i64): [n][k]i32 = transpose (map (\column -> map (\i -> column[i]) is) (transpose xss))
