-- Branches in loops that go the same way in all iterations: alone, nested, several at once, and at the sides of grids, with rows and planes of
-- every small size.

-- What is chosen by numbers from outside, one choice within another.
-- ==
-- entry: nested
-- input { 5i64 [1, 2, 3] } output { [1, 2, 3] [1, 0, 3] }
-- input { 50i64 [1, 2, 3] } output { [3, 6, 9] [0, -4, 0] }
-- input { 500i64 [1, 2, 3] } output { [2, 4, 6] [0, -4, 0] }
-- input { 500i64 empty([0]i32) } output { empty([0]i32) empty([0]i32) }
entry nested [n] (k: i64) (xs: [n]i32): ([n]i32, [n]i32) =
  let large = k > 9
  let huge = k > 99
  let ys = map (\x -> if large then (if huge then 2 * x else 3 * x) else x) xs
  let zs = map2 (\x i -> if large then (if i % 2 == 0 || !huge && x > 99 then 0 else -2 * x) else if i == 1 then 0 else x) xs (iota n)
  in (ys, zs)

-- A loop over time whose steps take turns, on a grid with sides.
-- ==
-- entry: turns
-- input { 3i64 0i64 0i64 } output { empty([0][0]i64) }
-- input { 3i64 1i64 1i64 } output { [[0i64]] }
-- input { 3i64 2i64 3i64 } output { [[3i64, 12i64, 24i64], [9i64, 34i64, 64i64]] }
-- input { 4i64 4i64 2i64 } output { [[12i64, 46i64], [34i64, 117i64], [60i64, 198i64], [72i64, 240i64]] }
entry turns (steps: i64) (n: i64) (m: i64): [n][m]i64 =
  loop a = tabulate_2d n m (\i j -> i * m + j) for t < steps do
    tabulate_2d n m (\i j ->
      let v = if t % 2 == 0 then (if i > 0 then a[i - 1, j] else 0) else if i < n - 1 then a[i + 1, j] else a[i, j]
      let h = if j > 0 then a[i, j - 1] else 0
      in a[i, j] + v + h)

-- Six neighbours in space.
-- ==
-- entry: space
-- input { 1i64 1i64 1i64 } output { 0i64 }
-- input { 2i64 3i64 4i64 } output { 6594i64 }
-- input { 5i64 4i64 33i64 } output { 6768234i64 }
-- input { 3i64 17i64 2i64 } output { 129763i64 }
entry space (l: i64) (n: i64) (m: i64): i64 =
  let a = tabulate_3d l n m (\i j k -> (i * n + j) * m + k)
  let b = tabulate_3d l n m (\i j k ->
    let x = a[i, j, k]
    let up = if i == 0 then 0 else a[i - 1, j, k]
    let down = if i == l - 1 then x else a[i + 1, j, k]
    let north = if j - 1 < 0 then 0 else a[i, j - 1, k]
    let south = if j + 1 >= n then 0 else a[i, j + 1, k]
    let west = if k == 0 then x else a[i, j, k - 1]
    let east = if k < m - 1 then a[i, j, k + 1] else 1
    in 2 * up + down + 3 * north + south + west + 5 * east - x)
  in i64.sum (map2 (*) (flatten_3d b) (map (% 7) (indices (flatten_3d b))))

-- Sums, and rows that data choose.
-- ==
-- entry: sums
-- input { true [1.0, 2.0, 4.0] } output { 14.0 [[2.0, 3.0, 5.0], [0.5, 1.0, 2.0], [0.5, 1.0, 2.0]] }
-- input { false [1.0, 2.0, 4.0] } output { 10.0 [[2.0, 3.0, 5.0], [1.0, 2.0, 4.0], [1.0, 2.0, 4.0]] }
entry sums [n] (c: bool) (xs: [n]f64): (f64, [n][n]f64) =
  let s = f64.sum (map (\x -> (if c then x + x else x) + (if c then 0 else 1)) xs)
  let inside = map (< 1.5) xs
  in (s, map (\i -> map (\x -> if inside[i] then x + 1 else if c then x / 2 else x) xs) (iota n))
