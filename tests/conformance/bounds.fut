-- Places that are proved to be inside, or whose checks stay, at sizes where it matters.

-- The slice would be of a negative length in iterations that there are not.
-- ==
-- entry: no_iteration
-- input { [3i64] 1i64 } output { 0i64 }
-- input { [3i64, 4i64] 1i64 } error: out of bounds
-- input { [3i64, 4i64] 0i64 } output { 0i64 }
entry no_iteration [n] (xs: [n]i64) (k: i64) = loop t = 0 for i < n - 1 do t + i64.sum xs[k:i - i]

-- Below the diagonal, above it, and beyond.
-- ==
-- entry: triangle
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64], [7i64, 8i64, 9i64]] 0i64 } output { 41i64 }
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64], [7i64, 8i64, 9i64]] 1i64 } error: out of bounds
-- input { empty([0][0]i64) 1i64 } output { 0i64 }
entry triangle [n] (a: [n][n]i64) (more: i64) =
  loop s = 0 for k < n do
    loop s for j < n - k - 1 do s + a[k + 1 + j, k] + a[k, n - 1 - j] + a[k, k + 1 + j + more]

-- ==
-- entry: neighbours
-- input { [1i64, 2i64, 4i64] 1i64 } output { [3i64, 5i64, 6i64] [3i64, 5i64, 3i64] }
-- input { [1i64, 2i64, 4i64] -9i64 } output { [2i64, 2i64, 2i64] [2i64, 3i64, 5i64] }
-- input { empty([0]i64) 3i64 } output { empty([0]i64) empty([0]i64) }
entry neighbours [n] (xs: [n]i64) (k: i64) =
  (tabulate n (\i -> xs[i64.max 0 (i64.min (n - 1) (i + k))] + xs[i64.min (n - 1) (i64.max 0 (i - k * k))]),
   tabulate n (\i -> xs[(i + k) % n] + (if i < 1 || k < 0 then 1 else xs[i - 1])))

-- Nothing is written before it is known where.
-- ==
-- entry: slice_far
-- input { [1i64, 2i64, 3i64, 4i64] 1i64 2i64 } output { [1i64, 0i64, 1i64, 4i64] }
-- input { [1i64, 2i64, 3i64, 4i64] 100000000i64 5i64 } error: out of bounds
-- input { [1i64, 2i64, 3i64, 4i64] 3i64 2i64 } error: out of bounds
-- input { [1i64, 2i64, 3i64, 4i64] -100000000i64 3i64 } error: out of bounds
entry slice_far [n] (xs: *[n]i64) (k: i64) (m: i64): *[n]i64 = let b = map (\i -> i * i) (iota m) in xs with [k:k + m] = b

-- ==
-- entry: row_far
-- input { [[1i64, 2i64, 3i64, 4i64]] 0i64 } output { [[0i64, 1i64, 4i64, 9i64]] }
-- input { [[1i64, 2i64, 3i64, 4i64]] 100000000i64 } error: out of bounds
entry row_far [n] (xs: *[n][4]i64) (k: i64): *[n][4]i64 = let b = map (\i -> i * i) (iota 4) in xs with [k] = b

-- ==
-- entry: row_far_in_loop
-- input { [[1i64, 2i64], [3i64, 4i64]] 0i64 } output { [[0i64, 0i64], [1i64, 2i64]] }
-- input { [[1i64, 2i64], [3i64, 4i64]] 1i64 } error: out of bounds
-- input { [[1i64, 2i64], [3i64, 4i64]] 100000000i64 } error: out of bounds
entry row_far_in_loop [n] [m] (xs: *[n][m]i64) (k: i64) =
  loop xs for i < n do let row = map (\j -> i + i * j) (iota m) in xs with [i + k] = row

-- An array as long as one less than the loop runs.
-- ==
-- entry: one_less
-- input { [3i64, 5i64] empty([0]i64) } output { 0i64 }
-- input { [3i64, 5i64] [1i64, 2i64] } output { 0i64 }
entry one_less [n] [m] (xs: [n]i64) (ys: [m]i64) =
  loop s = 0 for _i < m do
    let k = i64.max 0 (m - 1)
    in s + i64.sum (flatten (tabulate_2d n m (\i j -> i64.sum (copy xs with [0:k] = map (\l -> l * l + ys[j] * i) (iota k)))))
       - i64.sum (map (\i -> i64.sum (map (\y -> y * i * k + xs[n - 1]) ys)) (iota n))

-- Where there are no rows, none is the last.
-- ==
-- entry: last_row
-- input { empty([0][2]i64) } output { 0i64 }
-- input { [[1i64, 2i64], [3i64, 4i64]] } output { 32i64 }
entry last_row [n] [m] (c: [n][m]i64): i64 =
  i64.sum (flatten (tabulate_2d n m (\_ _ -> i64.sum (flatten (copy c with [n - 1] = map (\j -> j + n) (iota m))))))

-- ==
-- entry: last_element
-- input { empty([0][2]i64) } output { 0i64 }
-- input { [[1i64, 2i64], [3i64, 4i64]] } output { 36i64 }
entry last_element [n] [m] (c: [n][m]i64): i64 =
  i64.sum (flatten (tabulate_2d n m (\_ _ -> i64.sum (flatten (copy c with [n - 1, 0] = n)))))
