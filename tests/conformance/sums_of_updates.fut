-- Sums of arrays to which something was added: of all elements, by rows, of a transposed one; updates outside of the array, in branches and
-- loops; arrays that somebody else reads; integers that wrap around, NaN and infinity. Each is compared with the sum of the array itself.
def places (n: i64) (k: i64) = tabulate k (\i -> (i * 7 % (n + 3) - 1, (i * 5 + 2) % (n + 2) - 1))

def whole [n][m] (a: [n][m]f64) = f64.sum (flatten a)

-- ==
-- entry: flat rows columns
-- input { 0i64 0i64 } output { 0.0 }
-- input { 1i64 1i64 } output { 0.0 }
-- input { 6i64 30i64 } output { 78.0 }
-- input { 5i64 40i64 } output { 70.0 }
def table (n: i64) (k: i64): [n][n]f64 =
  let (is, vs) = unzip (map (\(i, j) -> ((i, j), f64.i64 (i + j))) (places n k))
  in reduce_by_index_2d (tabulate_2d n n (\_ _ -> 0)) (+) 0 is vs
entry flat (n: i64) (k: i64): f64 = whole (table n k)
entry rows (n: i64) (k: i64): f64 = f64.sum (map f64.sum (table n k))
entry columns (n: i64) (k: i64): f64 = f64.sum (map f64.sum (transpose (table n k)))

-- ==
-- entry: read_too
-- input { 6i64 30i64 } output { 78.0 0.0 }
entry read_too (n: i64) (k: i64): (f64, f64) =
  let t = table n k
  in (f64.sum (flatten t), t[n - 1, n - 1] + 0 * t[0, 0])

-- ==
-- entry: bytes
-- input { 3i64 [0i64, 1i64, 2i64, 3i64, -1i64, 1i64] [100i8, 100i8, 100i8, 5i8, 6i8, 100i8] } output { -112i8 }
entry bytes [k] (n: i64) (is: [k]i64) (vs: [k]i8): i8 = i8.sum (reduce_by_index (replicate n 0) (+) 0 is vs)

-- ==
-- entry: special
-- input { [0i64, 1i64, 5i64] [1.0, f64.inf, f64.nan] } output { f64.inf }
-- input { [0i64, 1i64, 1i64] [1.0, f64.inf, f64.nan] } output { f64.nan }
-- input { [0i64, 1i64, 1i64] [1.0, f64.inf, -f64.inf] } output { f64.nan }
entry special [k] (is: [k]i64) (vs: [k]f64): f64 = f64.sum (reduce_by_index (replicate 2 0) (+) 0 is vs)

-- The sum of a Jacobian whose rows are made in loops, and of a gradient whose updates stand in branches.
-- ==
-- entry: jacobian
-- input { [0i64, 2i64, 2i64, 5i64] [3i64, 0i64, 1i64, 1i64, 2i64] [1.0, 2.0, 3.0, 4.0, 5.0] [1.0, 1.0, 2.0, 1.0] } output { 15.0 }
-- input { [0i64, 0i64] [7i64] [1.0] [1.0] } output { 0.0 }
entry jacobian [r][k][m] (begins: [r]i64) (columns: [k]i64) (values: [k]f64) (x: [m]f64): f64 =
  let f (x: [m]f64) = tabulate (r - 1) (\i -> loop s = 0 for j in begins[i]..<begins[i + 1] do s + values[j] * x[columns[j]])
  in f64.sum (flatten (map (\j -> jvp f x (tabulate m (\i -> f64.bool (i == j)))) (iota m)))

-- ==
-- entry: branches
-- input { [1.0, -2.0, 3.0] [2i64, 0i64, 0i64, 1i64] } output { 10.0 }
-- input { [1.0] empty([0]i64) } output { 0.0 }
entry branches [n][k] (a: [n]f64) (is: [k]i64): f64 =
  f64.sum (vjp (\a -> f64.sum (map (\i -> if i % 2 == 0 then a[i] * a[i] else 0) is)) a 1)

-- A gradient that sums numbers beside updates that meet. Only the first and the last element do without them, and have loops of their own.
-- ==
-- entry: inner_elements
-- input { 0i64 } output { [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0] 0.0 }
-- input { 1i64 } output { [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0] -3.0 }
-- input { 3i64 } output { [4.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0] 1.0 }
-- input { 300i64 } output { [198.0, 258.0, 160.0, 200.0, 80.0, 0.0, 0.0, 0.0] 1395.0 }
entry inner_elements (n: i64): ([8]f64, f64) =
  let is = opaque (tabulate n (\i -> i * i / 3 % 5))
  let xs = opaque (tabulate n (\i -> f64.i64 (i * 7 % 11 - 3)))
  let f (w: [8]f64, c: [2]f64) =
    f64.sum (map3 (\k x i -> if 0 < k && k < n - 1 then w[i & 7] * x * c[1] + w[(i + 1) & 7] else x * c[1]) (iota n) xs is)
  let (w, c) = vjp f ([1, 2, 3, 4, 5, 6, 7, 8], [1, 1]) 1
  in (w, c[1])
