-- Adjoints of matrices that all iterations add to: tasks divide them by rows. Sizes below, at and above the number of parts.

def dot [n] (a: [n]f64) (b: [n]f64): f64 = f64.sum (map2 (*) a b)
def product [n][m][k] (a: [n][m]f64) (b: [m][k]f64): [n][k]f64 = map (\r -> map (\c -> dot r c) (transpose b)) a
def matrix (n: i64) (m: i64) (by: i64): [n][m]f64 = tabulate_2d n m (\i j -> f64.i64 ((i * by + j * 7) % 13) - 6)

-- The adjoints of a product are products.
-- ==
-- entry: adjoints
-- input { 3i64 2i64 4i64 } output { true }
-- input { 1i64 64i64 65i64 } output { true }
-- input { 65i64 1i64 64i64 } output { true }
-- input { 70i64 131i64 97i64 } output { true }
-- input { 0i64 5i64 3i64 } output { true }
-- input { 5i64 3i64 0i64 } output { true }
entry adjoints (n: i64) (m: i64) (k: i64): bool =
  let (a, b, s) = (matrix n m 3, matrix m k 5, matrix n k 11)
  let (a_adj, b_adj) = vjp (\(a, b) -> product a b) (a, b) s
  in and (map2 (\x y -> and (map2 (==) x y)) a_adj (product s (transpose b))) &&
     and (map2 (\x y -> and (map2 (==) x y)) b_adj (product (transpose a) s))

-- The outer maps add to a matrix that is not zero: twice what they add to one, from the loop around.
-- ==
-- entry: twice
-- input { 5i64 70i64 } output { true }
-- input { 70i64 3i64 } output { true }
entry twice (n: i64) (m: i64): bool =
  let (x, w) = (matrix n m 3, matrix m m 5)
  let f w = loop t = 0 for _i < 2 do t + f64.sum (flatten (product x w))
  let once = vjp (\w -> f64.sum (flatten (product x w))) w 1
  in and (map2 (\r q -> and (map2 (\a b -> a == 2 * b) r q)) (vjp f w 1) once)
