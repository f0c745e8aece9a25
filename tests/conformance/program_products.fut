-- Products of several factors, which are taken in another order than they are written in, and sums over triangles and bands.

def matmul [n] [m] [k] (a: [n][m]i64) (b: [m][k]i64): [n][k]i64 =
  map (\r -> map (\c -> i64.sum (map2 (*) r c)) (transpose b)) a

def matvec [n] [m] (a: [n][m]i64) (x: [m]i64): [n]i64 = map (\r -> reduce (+) 0 (map2 (*) r x)) a

def table (n: i64) (m: i64) (s: i64): [n][m]i64 = tabulate_2d n m (\i j -> (i * 5 + j * 3 + s) % 7 - 3)

def vector (n: i64) (s: i64): [n]i64 = tabulate n (\i -> (i * 4 + s) % 9 - 4)

def weigh [n] (xs: [n]i64): i64 = i64.sum (map2 (\i x -> (i + 1) * x) (iota n) xs)

-- The same products with every factor copied element by element, so that nothing is known of them.
def slow_matmul [n] [m] [k] (a: [n][m]i64) (b: [m][k]i64): [n][k]i64 =
  tabulate_2d n k (\i j -> loop s = 0 for h < m do s + a[i, h] * b[h, j])

def slow_matvec [n] [m] (a: [n][m]i64) (x: [m]i64): [n]i64 = tabulate n (\i -> loop s = 0 for h < m do s + a[i, h] * x[h])

-- (A B) v, (A B)' v, v (A B C).
-- ==
-- entry: vectors
-- input { 3i64 4i64 5i64 } output { true }
-- input { 1i64 1i64 1i64 } output { true }
-- input { 0i64 3i64 2i64 } output { true }
-- input { 3i64 0i64 2i64 } output { true }
-- input { 7i64 2i64 0i64 } output { true }
entry vectors (n: i64) (m: i64) (k: i64): bool =
  let (a, b, c) = (table n m 1, table m k 2, table k n 3)
  let (u, v) = (vector n 1, vector k 2)
  let right = matvec (matmul a b) v
  let left = matvec (transpose (matmul a b)) u
  let long = matvec (transpose (matmul (matmul a b) c)) u
  in weigh right == weigh (slow_matvec (slow_matmul a b) v)
     && weigh left == weigh (slow_matvec (transpose (slow_matmul a b)) u)
     && weigh long == weigh (slow_matvec (transpose (slow_matmul (slow_matmul a b) c)) u)

-- Three and four matrices: which product comes first depends on the sizes.
-- ==
-- entry: matrices
-- input { 2i64 9i64 3i64 8i64 1i64 } output { true }
-- input { 9i64 2i64 8i64 1i64 7i64 } output { true }
-- input { 1i64 6i64 1i64 6i64 2i64 } output { true }
-- input { 3i64 0i64 4i64 2i64 5i64 } output { true }
-- input { 4i64 4i64 4i64 4i64 4i64 } output { true }
entry matrices (n: i64) (m: i64) (k: i64) (l: i64) (o: i64): bool =
  let (a, b, c, d) = (table n m 1, table m k 2, table k l 3, table l o 4)
  let three = matmul a (matmul b c)
  let four = matmul (matmul (matmul a b) c) d
  in weigh (flatten three) == weigh (flatten (slow_matmul (slow_matmul a b) c))
     && weigh (flatten four) == weigh (flatten (slow_matmul (slow_matmul (slow_matmul a b) c) d))

-- An outer product times a vector, a sum over all products, and products of each element of a batch.
-- ==
-- entry: others
-- input { 3i64 4i64 } output { true }
-- input { 1i64 7i64 } output { true }
-- input { 0i64 2i64 } output { true }
entry others (n: i64) (m: i64): bool =
  let (u, v, w) = (vector n 1, vector m 2, vector m 3)
  let outer = matvec (map (\x -> map (* x) v) u) w
  let all = i64.sum (map (\x -> i64.sum (map (* x) v)) u)
  let batch = map (\s -> matvec (matmul (table n m s) (table m n (s + 1))) u) (iota 3)
  in weigh outer == weigh (map (* i64.sum (map2 (*) v w)) u) && all == i64.sum u * i64.sum v
     && weigh (flatten batch) == weigh (flatten (map (\s -> slow_matvec (slow_matmul (table n m s) (table m n (s + 1))) u) (iota 3)))

-- Triangles: `lower` counts the elements on and below the diagonal, and so on; rows and columns need not be equally many.
-- ==
-- entry: triangles
-- input { 3i64 3i64 } output { [1i64, 3i64, 6i64] [0i64, 1i64, 3i64] [6i64, 5i64, 3i64] [5i64, 3i64, 0i64] [1i64, 2i64, 3i64] }
-- input { 2i64 4i64 } output { [1i64, 3i64] [0i64, 1i64] [10i64, 9i64] [9i64, 7i64] [1i64, 2i64] }
-- input { 4i64 2i64 } output { [1i64, 3i64, 3i64, 3i64] [0i64, 1i64, 3i64, 3i64] [3i64, 2i64, 0i64, 0i64] [2i64, 0i64, 0i64, 0i64] [1i64, 2i64, 0i64, 0i64] }
-- input { 0i64 2i64 } output { empty([0]i64) empty([0]i64) empty([0]i64) empty([0]i64) empty([0]i64) }
-- input { 2i64 0i64 } output { [0i64, 0i64] [0i64, 0i64] [0i64, 0i64] [0i64, 0i64] [0i64, 0i64] }
entry triangles (n: i64) (m: i64): ([n]i64, [n]i64, [n]i64, [n]i64, [n]i64) =
  let sums (inside: i64 -> i64 -> bool) =
    tabulate n (\i -> i64.sum (tabulate m (\j -> if inside i j then j + 1 else 0)))
  in (sums (\i j -> j <= i), sums (\i j -> j < i), sums (\i j -> !(j < i)), sums (\i j -> j > i), sums (\i j -> i == j))

-- Bands of any width, also none and more than all; a factor that is 0 outside.
-- ==
-- entry: bands
-- input { 4i64 1i64 } output { [3i64, 6i64, 9i64, 7i64] [3i64, 6i64, 9i64, 7i64] [2i64, 3i64, 4i64, 4i64] }
-- input { 4i64 0i64 } output { [1i64, 2i64, 3i64, 4i64] [1i64, 2i64, 3i64, 4i64] [1i64, 2i64, 3i64, 4i64] }
-- input { 3i64 -1i64 } output { [0i64, 0i64, 0i64] [0i64, 0i64, 0i64] [-9i64, -9i64, -9i64] }
-- input { 3i64 9223372036854775807i64 } output { [6i64, 6i64, 6i64] [6i64, 6i64, 6i64] [3i64, 3i64, 3i64] }
-- input { 3i64 -9223372036854775808i64 } output { [0i64, 0i64, 0i64] [0i64, 0i64, 0i64] [-9i64, -9i64, -9i64] }
entry bands (n: i64) (w: i64): ([n]i64, [n]i64, [n]i64) =
  let xs = map (+ 1) (iota n)
  let inside i j = i64.abs (i - j) <= w
  let matrix = tabulate_2d n n (\i j -> i64.bool (inside i j))
  in ( map (\row -> i64.sum (map2 (*) row xs)) matrix
     , tabulate n (\i -> i64.sum (map2 (\j x -> if inside i j && true then x else 0) (iota n) xs))
     , tabulate n (\i -> reduce i64.max (-9) (map2 (\j x -> if inside i j then x else -9) (iota n) xs)))

-- Limits that are numbers from outside, whatever they are.
-- ==
-- entry: limits
-- input { 5i64 2i64 4i64 } output { 7i64 3i64 }
-- input { 5i64 -3i64 9i64 } output { 15i64 0i64 }
-- input { 5i64 4i64 2i64 } output { 0i64 15i64 }
-- input { 5i64 9223372036854775807i64 -9223372036854775808i64 } output { 0i64 15i64 }
-- input { 5i64 -9223372036854775808i64 9223372036854775807i64 } output { 15i64 0i64 }
entry limits (n: i64) (low: i64) (high: i64): (i64, i64) =
  let xs = map (+ 1) (iota n)
  let between = i64.sum (map2 (\j x -> if low <= j && j < high then x else 0) (iota n) xs)
  let below = loop s = 0 for j < n do if j < low then s + xs[j] else s
  in (between, if between == 0 && low > high then i64.sum xs else below)

-- A loop that updates an array in a part of its iterations.
-- ==
-- entry: part
-- input { 5i64 2i64 } output { [0i64, 1i64, 2i64, 9i64, 12i64] }
-- input { 3i64 7i64 } output { [0i64, 1i64, 2i64] }
-- input { 3i64 -7i64 } output { [0i64, 3i64, 6i64] }
entry part (n: i64) (from: i64): [n]i64 =
  loop a = iota n for j < n do if from < j then a with [j] = 3 * a[j] else a
