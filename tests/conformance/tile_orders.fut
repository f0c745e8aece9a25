-- Contractions whose maps come in another order than rows, columns, batch; few columns; few rows; integers; and what becomes straight code.

def dot [n] (a: [n]i64) (b: [n]i64): i64 = i64.sum (map2 (*) a b)
def num (s: i64) (i: i64): i64 = ((i * 7919 + s * 31) % 1013) % 7 - 3
def some (s: i64) (n: i64) (m: i64): [n][m]i64 = opaque (tabulate_2d n m (\i j -> num s (i * m + j)))
def some_3d (s: i64) (n: i64) (m: i64) (k: i64): [n][m][k]i64 = opaque (tabulate_3d n m k (\i j l -> num s ((i * m + j) * k + l)))
def digest (xs: []i64): i64 = i64.sum (map2 (\x i -> x * (i % 97 + 1)) xs (indices xs))

-- Each row with each matrix of a batch.
-- ==
-- entry: heads
-- input { 20i64 3i64 9i64 30i64 } output { -9866i64 }
-- input { 6i64 18i64 4i64 3i64 } output { 881i64 }
-- input { 5i64 1i64 8i64 17i64 } output { -596i64 }
-- input { 0i64 2i64 8i64 17i64 } output { 0i64 }
entry heads (t: i64) (h: i64) (d: i64) (c: i64): i64 =
  let x = some 1 t c
  let w = some_3d 2 h d c
  in digest (flatten_3d (map (\x -> map (map (dot x)) w) x))

-- The same with columns that lie apart, and its adjoint.
-- ==
-- entry: heads_apart
-- input { 20i64 3i64 9i64 30i64 } output { -3574i64 -11183i64 }
-- input { 6i64 18i64 4i64 3i64 } output { -3460i64 -176i64 }
-- input { 5i64 1i64 2i64 17i64 } output { 190i64 12i64 }
entry heads_apart (t: i64) (h: i64) (d: i64) (c: i64): (i64, i64) =
  let x = map (map f64.i64) (some 1 t c)
  let w = map (map (map f64.i64)) (some_3d 2 h c d)
  let seed = map (map (map f64.i64)) (some_3d 3 t h d)
  let f w = map (\x -> map (\w -> map (\y -> f64.sum (map2 (*) x y)) (transpose w)) w) x
  in (digest (map i64.f64 (flatten_3d (f w))), digest (map i64.f64 (flatten_3d (vjp f w seed))))

-- The batch innermost.
-- ==
-- entry: scores
-- input { 9i64 17i64 4i64 } output { 53932i64 }
-- input { 30i64 2i64 8i64 } output { 1229i64 }
entry scores (t: i64) (h: i64) (d: i64): i64 =
  let q = some_3d 1 t h d
  let k = some_3d 2 t h d
  in digest (flatten_3d (map (\q -> map (map2 dot q) k) q))

-- Few columns, of constant and of other numbers.
-- ==
-- entry: narrow
-- input { 40i64 1i64 9i64 } output { 26933i64 }
-- input { 40i64 2i64 3i64 } output { -12670i64 }
-- input { 13i64 3i64 300i64 } output { -129422i64 }
-- input { 5i64 17i64 5i64 } output { -1996i64 }
entry narrow (n: i64) (m: i64) (k: i64): i64 =
  let a = some 1 n k
  let columns [m] (b: [k][m]i64) = digest (flatten (map (\x -> map (dot x) (transpose b)) a))
  let float (b: [k][3]i64) = digest (map i64.f32 (flatten (map (\x -> map (\y -> f32.sum (map2 (\x y -> f32.i64 (x * y)) x y)) (transpose b)) a)))
  in columns (some 2 k m) + 3 * columns (some 3 k 2) + 5 * columns (some 4 k 4) + 7 * float (some 5 k 3)

-- Few points, of constant number.
-- ==
-- entry: short
-- input { 40i64 9i64 } output { 62671i64 }
entry short (n: i64) (m: i64): i64 =
  let of k m = digest (flatten (map (\x -> map (dot x) (transpose (some 2 k m))) (some 1 n k)))
  in of 4 m + 3 * of 7 4 + 5 * of 8 4 + 7 * of 5 3 + 11 * of 3 m + 13 * of 8 1

-- Sums of integers that lie side by side, around which a map has as many iterations as there are lanes.
-- ==
-- entry: integers
-- input { 40i64 3i64 50i64 } output { -122345i64 }
entry integers (n: i64) (m: i64) (k: i64): i64 =
  let a = map (map i32.i64) (some 1 n k)
  let b = map (map i32.i64) (some 2 m k)
  let f op ne = digest (map i64.i32 (flatten (map (\x -> map (\y -> reduce op ne (map2 (*) x y)) b) a)))
  in f (+) 0 + 3 * f i32.max i32.lowest + 5 * f (^) 0 + 7 * f i32.min i32.highest
