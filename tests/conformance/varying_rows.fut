-- Maps whose elements work on arrays of different sizes: what bounds the sizes follows from the nest.
def squares [k] (xs: [k]i64) = map (\x -> x * x) xs
def running [k] (xs: [k]i64) = i64.maximum (scan (+) 0 (squares xs with [0] = 1))

-- ==
-- entry: triangle
-- input { 6i64 } output { [1i64, 2i64, 6i64, 15i64, 31i64, 56i64] }
entry triangle (n: i64) = map (\i -> running (iota (i + 1))) (iota n)

-- ==
-- entry: backwards
-- input { 5i64 } output { [31i64, 15i64, 6i64, 2i64, 1i64] }
entry backwards (n: i64) = map (\i -> running (iota (n - i))) (iota n)

-- ==
-- entry: least
-- input { 5i64 3i64 } output { [1i64, 2i64, 6i64, 6i64, 6i64] }
-- input { 5i64 20i64 } output { [1i64, 2i64, 6i64, 15i64, 31i64] }
entry least (n: i64) (m: i64) = map (\i -> running (iota (i64.min (i + 1) m))) (iota n)

-- ==
-- entry: given
-- input { [3i64, 1i64, 9i64, 2i64] 4i64 } output { [6i64, 1i64, 15i64, 2i64] }
entry given (ks: []i64) (m: i64) = map (\k -> running (iota (i64.max 1 (i64.min k m)))) ks

-- ==
-- entry: remainders
-- input { [30i64, 11i64, 9i64, 2i64] } output { [1i64, 2i64, 31i64, 6i64] }
entry remainders (ks: []i64) = map (\k -> running (iota (k % 5 + 1))) ks

-- ==
-- entry: in_loop
-- input { 4i64 } output { [1i64, 3i64, 9i64, 24i64] }
entry in_loop (n: i64) = map (\i -> loop s = 0 for j < i + 1 do s + running (iota (j + 1))) (iota n)

-- ==
-- entry: products
-- input { 4i64 3i64 } output { [1i64, 15i64, 92i64, 286i64] }
entry products (n: i64) (m: i64) = map (\i -> running (iota (i * m + 1))) (iota n)

-- ==
-- entry: choices
-- input { 4i64 } output { [1i64, 56i64, 2i64, 141i64] }
entry choices (n: i64) = map (\i -> running (iota (if i % 2 == 0 then i / 2 + 1 else i + n + 1))) (iota n)

-- ==
-- entry: kept
-- input { [[1i64, 5i64, 2i64], [7i64, 8i64, 9i64], [0i64, 1i64, 3i64]] } output { [25i64, 194i64, 9i64] }
entry kept [n] [m] (xss: [n][m]i64) = map (\xs -> i64.sum (squares (filter (> 2) xs))) xss

-- ==
-- entry: slices
-- input { [1i64, 2i64, 3i64, 4i64] } output { [1i64, 5i64, 14i64, 30i64] }
entry slices [n] (xs: [n]i64) = map (\i -> running (copy xs[:i + 1])) (iota n)
