-- Copies that are read along one dimension and written along another: every type, two to four dimensions, sizes at and around the
-- blocks that they go in, and parts of larger arrays on either side.

-- Their elements one after the other, which a view of other arrays does not have.
def laid [n][m] 't (a: [n][m]t): [n][m]t = unflatten (opaque (flatten a))
def laid_3d [n][m][k] 't (a: [n][m][k]t): [n][m][k]t = unflatten_3d (opaque (flatten_3d a))

def matrix 't (make: i64 -> t) (n: i64) (m: i64): [n][m]t = opaque (tabulate_2d n m (\i j -> make (31 * i + 7 * j)))
def is_transpose [n][m] 't (equal: t -> t -> bool) (a: [n][m]t) (b: [m][n]t): bool =
  and (map2 (\i r -> and (map2 (\j x -> equal a[j, i] x) (iota n) r)) (iota m) b)
def holds 't (make: i64 -> t) (equal: t -> t -> bool) (n: i64) (m: i64): bool =
  let a = matrix make n m
  in is_transpose equal a (laid (transpose a))

-- ==
-- entry: types
-- input { 0i64 5i64 } output { true }
-- input { 5i64 0i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 3i64 70i64 } output { true }
-- input { 64i64 64i64 } output { true }
-- input { 67i64 19i64 } output { true }
entry types (n: i64) (m: i64): bool =
  holds i8.i64 (==) n m && holds i16.i64 (==) n m && holds i32.i64 (==) n m && holds i64.i64 (==) n m && holds u8.i64 (==) n m &&
  holds u16.i64 (==) n m && holds u32.i64 (==) n m && holds u64.i64 (==) n m && holds f16.i64 (==) n m && holds f32.i64 (==) n m &&
  holds f64.i64 (==) n m && holds (\x -> x % 3 == 0) (==) n m && holds (\x -> (x, f32.i64 x)) (==) n m

-- Every size from nothing to beyond a block.
-- ==
-- entry: sizes
-- input { 18i64 } output { true }
-- input { 65i64 } output { true }
entry sizes (most: i64): bool =
  loop right = true for n < most do right && holds i64.i64 (==) n (most - 1 - n) && holds f32.i64 (==) n 17

-- Copies of more dimensions, in each order.
-- ==
-- entry: orders
-- input { 3i64 4i64 5i64 } output { true }
-- input { 2i64 18i64 20i64 } output { true }
-- input { 33i64 2i64 17i64 } output { true }
-- input { 4i64 0i64 3i64 } output { true }
entry orders (n: i64) (m: i64) (k: i64): bool =
  let at i j l = (i * 37 + j) * 41 + l
  let a = opaque (tabulate_3d n m k at)
  let all [x] [y] [z] (f: i64 -> i64 -> i64 -> i64) (b: [x][y][z]i64) = and (flatten_3d (tabulate_3d x y z (\i j l -> b[i, j, l] == f i j l)))
  in all (\j i l -> at i j l) (laid_3d (transpose a)) &&
     all (\i l j -> at i j l) (laid_3d (map transpose a)) &&
     all (\j l i -> at i j l) (laid_3d (map transpose (transpose a))) &&
     all (\l i j -> at i j l) (laid_3d (transpose (map transpose a))) &&
     all (\l j i -> at i j l) (laid_3d (map transpose (transpose (map transpose a))))

-- ==
-- entry: four
-- input { 2i64 3i64 18i64 17i64 } output { true }
entry four (n: i64) (m: i64) (k: i64) (o: i64): bool =
  let at i j l q = ((i * 37 + j) * 41 + l) * 43 + q
  let a = opaque (tabulate n (\i -> tabulate_3d m k o (at i)))
  let b = unflatten_4d (opaque (flatten_4d (transpose (map transpose (map (map transpose) a)))))
  in and (flatten_4d (tabulate o (\q -> tabulate_3d n m k (\i j l -> b[q, i, j, l] == at i j l q))))

-- Parts of arrays: rows with a distance, columns backwards, and a result that is a part of another.
-- ==
-- entry: parts
-- input { 40i64 21i64 } output { true }
-- input { 7i64 130i64 } output { true }
entry parts (n: i64) (m: i64): bool =
  let a = matrix i32.i64 (2 * n) (m + 3)
  let part = a[::2, 2:m + 2] :> [n][m]i32
  let back = a[:n, m:0:-1] :> [n][m]i32
  let into = replicate (m + 2) (replicate (n + 5) 0i32) with [1:m + 1, 3:n + 3] = (transpose part :> [m + 1 - 1][n + 3 - 3]i32)
  let both = opaque (transpose part ++ transpose back)
  in is_transpose (==) part (laid (transpose part)) && is_transpose (==) back (laid (transpose back)) &&
     is_transpose (==) part (both[:m] :> [m][n]i32) && is_transpose (==) back (both[m:] :> [m][n]i32) &&
     is_transpose (==) part (into[1:m + 1, 3:n + 3] :> [m][n]i32) && i64.sum (map (\r -> i64.i32 (i32.sum r)) into) == i64.sum (map (\r -> i64.i32 (i32.sum r)) part)

-- In maps, and in loops that use one block again.
-- ==
-- entry: inside
-- input { 20i64 18i64 33i64 } output { true }
-- input { 3i64 100i64 4i64 } output { true }
entry inside (n: i64) (m: i64) (k: i64): bool =
  let rows = tabulate n (\i -> let a = matrix (\x -> f64.i64 (x + i)) m k
                               let b = laid (transpose a)
                               in is_transpose (==) a b)
  let start = matrix i64.i64 m m
  let turned = loop a = copy start for _i < 5 do laid (transpose (map (map (+ 1)) a))
  in and rows && is_transpose (==) (map (map (+ 5)) start) turned
