-- rows_of_varying_length.fut - reductions whose length hangs on the place: triangles, and rows that begin or end later from row to row.

-- ==
-- entry: triangles
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 33i64 } output { true }
-- input { 700i64 } output { true }
entry triangles (n: i64): bool =
  let xs = tabulate_2d n n (\i j -> i * 3 + j * 5)
  let after = tabulate n (\i -> i64.sum xs[i, i:])
  let before = tabulate n (\i -> i64.sum xs[i, :i])
  let whole = map i64.sum xs
  let least = tabulate n (\i -> i64.minimum (map (\x -> -x) xs[i, :i + 1]))
  in and (map3 (\a b c -> a + b == c) after before whole) && and (map2 (==) least (tabulate n (\i -> -8 * i))) &&
     and (tabulate n (\i -> before[i] == i * i * 3 + 5 * (i * (i - 1) / 2)))

-- How well a series agrees with itself some places later: many rows or few, each a little shorter than the one before.
-- ==
-- entry: delayed
-- input { 0i64 1i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 50i64 50i64 } output { true }
-- input { 3000i64 20i64 } output { true }
-- input { 3i64 5i64 } error: Range 0..1..<-1 is invalid
entry delayed (n: i64) (k: i64): bool =
  let xs = tabulate n (\i -> i % 17)
  let found = tabulate k (\l -> i64.sum (tabulate (n - l) (\i -> xs[i] * xs[i + l])))
  in and (tabulate k (\l -> found[l] == (loop s = 0 for i < n do s + if i + l < n then xs[i] * xs[i + l] else 0)))

-- Two extents, and the place of a maximum.
-- ==
-- entry: corners
-- input { 0i64 3i64 } output { true }
-- input { 12i64 9i64 } output { true }
entry corners (n: i64) (m: i64): bool =
  let later (a, i) (b, j) = if b > a then (b, j) else (a, i)
  let found = tabulate_2d n m (\i j -> reduce later (i64.lowest, -1) (tabulate (2 * i + j + 1) (\l -> ((l * 7) % 11, l))))
  in and (tabulate n (\i -> and (tabulate m (\j ->
       found[i, j] == (loop a = (i64.lowest, -1) for l < 2 * i + j + 1 do later a ((l * 7) % 11, l))))))

-- ==
-- entry: slopes
-- input { 1i64 } output { true }
-- input { 30i64 } output { true }
entry slopes (n: i64): bool =
  let xs = tabulate_2d n n (\i j -> f64.sin (f64.i64 (i + 2 * j)))
  let energy (xs: [n][n]f64) = f64.sum (tabulate n (\i -> f64.exp (f64.sum (map (\x -> x * x) xs[i, i:]))))
  let slopes = vjp energy xs 1
  let near (x: f64) (y: f64) = f64.abs (x - y) <= 1e-9 * (1 + f64.abs y)
  in and (tabulate n (\i ->
       let e = f64.exp (loop s = 0 for j < n do s + if j >= i then xs[i, j] * xs[i, j] else 0)
       in and (tabulate n (\j -> near slopes[i, j] (if j >= i then 2 * xs[i, j] * e else 0)))))
