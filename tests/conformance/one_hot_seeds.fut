-- Seeds that are one at one place and zero elsewhere: derivatives of maps, sums, products, gathers and loops, the place inside or not.

def f [n] (x: [n]f64): [n]f64 = map (\v -> v * v * v) x
def onehot (n: i64) (i: i64): [n]f64 = tabulate n (\j -> if i == j then 1 else 0)
def updated (n: i64) (i: i64): [n]f64 = replicate n 0 with [i] = 1
def as_number (n: i64) (i: i64): [n]f64 = tabulate n (\j -> f64.bool (j == i))

-- ==
-- entry: rows
-- input { [1.0, 2.0, 3.0] } output { [[3.0, 0.0, 0.0], [0.0, 12.0, 0.0], [0.0, 0.0, 27.0]] }
-- input { empty([0]f64) } output { empty([0][0]f64) }
entry rows [n] (x: [n]f64): [n][n]f64 = map (\i -> vjp f x (onehot n i)) (iota n)

-- ==
-- entry: diagonals
-- input { [1.0, 2.0, 3.0] } output { [3.0, 12.0, 27.0] [3.0, 12.0, 27.0] [3.0, 12.0, 27.0] }
entry diagonals [n] (x: [n]f64) =
  (tabulate n (\i -> (vjp f x (onehot n i))[i]), tabulate n (\i -> (jvp f x (updated n i))[i]), tabulate n (\i -> (vjp f x (as_number n i))[i]))

-- The place is outside for the first and the last.
-- ==
-- entry: outside
-- input { [1.0, 2.0, 3.0] -1i64 } output { [0.0, 0.0, 0.0] 0.0 }
-- input { [1.0, 2.0, 3.0] 1i64 } output { [0.0, 12.0, 0.0] 4.0 }
-- input { [1.0, 2.0, 3.0] 3i64 } output { [0.0, 0.0, 0.0] 0.0 }
entry outside [n] (x: [n]f64) (i: i64): ([n]f64, f64) = (vjp f x (onehot n i), jvp (\x -> f64.sum (map (\v -> v * v) x)) x (onehot n i))

-- Values and tangents of one function.
-- ==
-- entry: both
-- input { [1.0, 2.0, 3.0] 2i64 } output { [1.0, 8.0, 27.0] [0.0, 0.0, 27.0] }
entry both [n] (x: [n]f64) (i: i64) = jvp2 f x (onehot n i)

def product [n] [m] (a: [n][m]f64) (x: [m]f64): [n]f64 = map (\r -> f64.sum (map2 (*) r x)) a

-- ==
-- entry: jacobians
-- input { [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] [1.0, 2.0, 3.0] }
-- output { [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] }
entry jacobians [n] [m] (a: [n][m]f64) (x: [m]f64) =
  (mjp (product a) x (tabulate n (onehot n)), transpose (jmp (product a) x (tabulate m (onehot m))),
   map (\i -> vjp (product a) x (onehot n i)) (iota n), transpose (map (\i -> jvp (product a) x (updated m i)) (iota m)))

-- By a matrix: the seed is a row of an identity in one dimension, and in the other.
-- ==
-- entry: of_matrices
-- input { 0i64 1i64 } output { [[0.0, 2.0, 0.0], [0.0, 0.0, 0.0]] [[0.0, 0.0, 0.0], [2.0, 4.0, 6.0]] }
entry of_matrices (i: i64) (j: i64): ([2][3]f64, [2][3]f64) =
  let squares (a: [2][3]f64) = map (map (\x -> x * x)) a
  let ones = replicate 2 (replicate 3 1)
  in (vjp squares ones (tabulate_2d 2 3 (\r c -> if r == i && c == j then 1 else 0)),
      vjp squares (map2 (map2 (*)) ones [[1, 1, 1], [1, 2, 3]]) (tabulate 2 (\r -> if r == j then [1, 1, 1] else [0, 0, 0])))

-- A gather, of which several elements may have the place; a loop over elements; a histogram.
-- ==
-- entry: others
-- input { [1.0, 2.0, 3.0] [1i64, 1i64, 0i64, 2i64] 1i64 } output { [4.0, 4.0, 0.0, 0.0] [0.0, 12.0, 0.0] 12.0 [0.0, 1.0, 0.0] }
entry others [n] [k] (x: [n]f64) (is: [k]i64) (i: i64) =
  (jvp (\x -> map (\j -> x[j] * x[j]) is) x (onehot n i),
   vjp (\x -> loop y = copy x for j < n do y with [j] = y[j] ** 3) x (onehot n i),
   jvp (\x -> loop s = 0 for j < n do s + x[j] ** 3) x (onehot n i),
   jvp (\x -> hist (+) 0 n (iota n) x) x (onehot n i))

-- Second derivatives.
-- ==
-- entry: hessian
-- input { [1.0, 2.0, 3.0] } output { [[6.0, 0.0, 0.0], [0.0, 12.0, 0.0], [0.0, 0.0, 18.0]] }
entry hessian [n] (x: [n]f64): [n][n]f64 =
  map (\i -> jvp (\x -> vjp (\x -> f64.sum (f x)) x 1) x (onehot n i)) (iota n)

-- The Jacobian of a product with a matrix of which the entries of each row are known by their columns, one of them twice; by both
-- modes. No direction.
-- ==
-- entry: of_entries
-- input { [[0i64, 2i64], [1i64, 1i64]] [[1.0, 2.0], [3.0, 4.0]] [1.0, 1.0, 1.0] }
-- output { [[1.0, 0.0], [0.0, 7.0], [2.0, 0.0]] [[1.0, 0.0, 2.0], [0.0, 7.0, 0.0]] }
-- input { empty([0][2]i64) empty([0][2]f64) [1.0] } output { empty([1][0]f64) empty([0][1]f64) }
entry of_entries [n] [m] [k] (columns: [n][k]i64) (values: [n][k]f64) (x: [m]f64): ([m][n]f64, [n][m]f64) =
  let product x = map2 (\js vs -> loop s = 0 for (j, v) in zip js vs do s + v * x[j]) columns values
  in (jmp product x (tabulate m (onehot m)), mjp product x (tabulate n (onehot n)))
