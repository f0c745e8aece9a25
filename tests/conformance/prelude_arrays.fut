-- prelude: size, access, construction and shape of arrays.
-- ==
-- entry: access
-- input { [1i32,2i32,3i32] } output { 3i64 false 1i32 3i32 [2i32,3i32] [1i32,2i32] [1i32,2i32] [3i32] [3i32,2i32,1i32] }
entry access (xs: []i32) =
  (length xs, null xs, head xs, last xs, tail xs, init xs, take 2 xs, drop 2 xs, reverse xs)

-- ==
-- entry: rotated
-- input { [1i32,2i32,3i32] 1i64 } output { [2i32,3i32,1i32] }
-- input { [1i32,2i32,3i32] -1i64 } output { [3i32,1i32,2i32] }
-- input { [1i32,2i32,3i32] 4i64 } output { [2i32,3i32,1i32] }
-- input { empty([0]i32) 4i64 } output { empty([0]i32) }
-- input { [1, 2, 3] 9223372036854775807i64 } output { [2, 3, 1] }
-- input { [1, 2, 3] -9223372036854775808i64 } output { [2, 3, 1] }
entry rotated (xs: []i32) (r: i64) = rotate r xs

-- ==
-- entry: shapes
-- input { [[1i32,2i32,3i32],[4i32,5i32,6i32]] } output { [[1i32,4i32],[2i32,5i32],[3i32,6i32]] [1i32,2i32,3i32,4i32,5i32,6i32] [[1i32,2i32],[3i32,4i32],[5i32,6i32]] }
entry shapes (a: [2][3]i32) = (transpose a, flatten a, unflatten (flatten a :> [3 * 2]i32))

-- ==
-- entry: deep
-- input { [[[1i32,2i32],[3i32,4i32]],[[5i32,6i32],[7i32,8i32]]] } output { [1i32,2i32,3i32,4i32,5i32,6i32,7i32,8i32] 8i64 [[[1i32],[2i32]],[[3i32],[4i32]],[[5i32],[6i32]],[[7i32],[8i32]]] }
entry deep (a: [2][2][2]i32) =
  let f = flatten_3d a
  in (f, length (flatten_4d [a]), unflatten_3d (f :> [4 * 2 * 1]i32))

-- ==
-- entry: sized_cast
-- input { [1i32,2i32] 2i64 } output { [1i32,2i32] }
-- input { [1i32,2i32] 3i64 } error: cannot match shape
entry sized_cast (xs: []i32) (n: i64) = sized n xs

-- ==
-- entry: construction
-- input { 3i64 } output { [0i64,1i64,2i64] [7i32,7i32,7i32] [0i64,1i64,4i64] [[0i64,1i64,2i64],[3i64,4i64,5i64]] [0i64,1i64,2i64] }
entry construction (n: i64) =
  (iota n, replicate n 7i32, tabulate n (\i -> i * i), tabulate_2d 2 3 (\i j -> i * 3 + j), indices (replicate n true))

-- ==
-- entry: three_dimensions
-- input { } output { [[[0i64,1i64],[2i64,3i64]]] }
entry three_dimensions = tabulate_3d 1 2 2 (\i j k -> i + 2 * j + k)

-- ==
-- entry: from_context
-- input { 2i64 } output { [true,true] }
entry from_context (n: i64): [n]bool = rep true

-- ==
-- entry: appended
-- input { [1i32] [2i32,3i32] } output { [1i32,2i32,3i32] [2i32,3i32,1i32] [1i32] }
entry appended (a: []i32) (b: []i32) = (a ++ b, concat b a, copy a)

-- ==
-- entry: arrays_of_arrays
-- input { [[1i32,2i32]] } output { [[1i32,2i32],[9i32,9i32]] [[[1i32,2i32]],[[1i32,2i32]]] }
entry arrays_of_arrays (a: [][2]i32) = (a ++ [[9, 9]], replicate 2 a)

-- ==
-- entry: zips
-- input { [1i32,2i32] [3i64,4i64] [true,false] } output { [4i64,6i64] [5i64,4i64] [1i32,2i32] [3i64,4i64] [true,false] [1i32,2i32] }
entry zips [n] (a: [n]i32) (b: [n]i64) (c: [n]bool) =
  let three = zip3 a b c
  let (x, y, z) = unzip3 three
  let (p, _) = unzip2 (zip2 a b)
  in (map (\(u, v) -> i64.i32 u + v) (zip a b), map (\(u, v, w) -> if w then i64.i32 u + v + 1 else v) three, x, y, z, p)

-- ==
-- entry: wide_zips
-- input { [1i32,2i32] } output { [4i32,8i32] [5i32,10i32] [1i32,2i32] [1i32,2i32] }
entry wide_zips [n] (a: [n]i32) =
  let four = zip4 a a a a
  let five = zip5 a a a a a
  let (x, _, _, _) = unzip4 four
  let (_, _, _, _, y) = unzip5 five
  in (map (\(p, q, r, s) -> p + q + r + s) four, map (\(p, q, r, s, t) -> p + q + r + s + t) five, x, y)
