-- Sizes: parameters, results, coercions, unknown sizes, constants.
-- ==
-- entry: parameters
-- input { [[1i32,2i32,3i32],[4i32,5i32,6i32]] } output { 2i64 3i64 6i64 }
entry parameters [n][m] (_: [n][m]i32) = (n, m, n * m)

-- ==
-- entry: coercion
-- input { [1i32,2i32] 2i64 } output { 3i32 }
-- input { [1i32,2i32] 3i64 } error: Value of \(desugared\) shape \[2\] cannot match shape of type "\[n\]i32". Here that is \[3\]
entry coercion (xs: []i32) (n: i64) = i32.sum (xs :> [n]i32)

-- ==
-- entry: argument
-- input { 2i64 [1i32,2i32] } output { 3i32 }
-- input { 3i64 [1i32,2i32] } error: invalid sizes
entry argument (n: i64) (xs: [n]i32) = i32.sum xs

-- ==
-- entry: equal_sizes
-- input { [1i32,2i32] [3i32,4i32] } output { 11i32 }
-- input { [1i32,2i32] [3i32] } error: invalid sizes
entry equal_sizes [n] (xs: [n]i32) (ys: [n]i32) = i32.sum (map2 (*) xs ys)

-- ==
-- entry: unknown
-- input { [1i32,-2i32,3i32] } output { 2i64 [1i32,3i32] 10i32 }
entry unknown (xs: []i32) =
  let ys = filter (> 0) xs
  let zs = map2 (*) ys ys
  in (length ys, ys, reduce (+) 0 zs)

-- ==
-- entry: branches
-- input { true } output { [1i32,2i32] }
-- input { false } output { [3i32] }
entry branches (b: bool): []i32 = if b then [1, 2] else [3]

-- ==
-- entry: mapped
-- input { 2i64 3i64 } output { [[0i64,1i64,2i64,3i64],[1i64,2i64,3i64,4i64]] }
entry mapped (n: i64) (m: i64) = map (\i -> map (+ i) (iota (m + 1))) (iota n)

-- ==
-- entry: empty_rows
-- input { 0i64 } output { empty([0][3]i64) }
-- input { 1i64 } output { [[0i64,1i64,2i64]] }
entry empty_rows (n: i64) = map (\i -> map (+ i) (iota 3)) (iota n)

def k: i64 = 2 + 1
-- ==
-- entry: constant_size
-- input { [1i32,2i32,3i32] } output { 6i32 }
entry constant_size (xs: []i32) = i32.sum (xs :> [k]i32)

-- ==
-- entry: concatenated
-- input { [1i32] [2i32,3i32] } output { [1i32,2i32,3i32] 3i64 }
entry concatenated [n][m] (a: [n]i32) (b: [m]i32) = let c: [n + m]i32 = a ++ b in (c, n + m)

-- ==
-- entry: split_by_type
-- input { [1i32,2i32,3i32] } output { [1i32] [2i32,3i32] }
entry split_by_type (a: [3]i32) = let (b: [1]i32, c: [2]i32) = split (a :> [1 + 2]i32) in (b, c)

type one_more [n] = [n + 1]i32
def without_witness [n] (_: one_more [n]) = n
-- ==
-- entry: size_inside_a_size
-- input { [1i32, 2i32, 3i32, 4i32] 3i64 } output { 3i64 5i64 }
entry size_inside_a_size (xs: []i32) (k: i64) =
  (without_witness (xs :> [k + 1]i32), without_witness (replicate (2 * k - 1 + 1) 0 :> one_more [2 * k - 1]))
