-- nest_versions.fut - nests of which one thread does a whole part where there are many, and all threads share it where there are few.

-- Sums of sums, of few and of many elements.
-- ==
-- entry: sums
-- input { 0i64 3i64 } output { true }
-- input { 5i64 0i64 } output { true }
-- input { 5i64 7i64 } output { true }
-- input { 40i64 70i64 } output { true }
-- input { 9000i64 9i64 } output { true }
entry sums (n: i64) (k: i64): bool =
  let found = tabulate n (\i -> i64.sum (tabulate k (\j -> i64.sum (tabulate k (\l -> i + j * l)))))
  in and (tabulate n (\i -> found[i] == k * k * i + (k * (k - 1) / 2) ** 2))

-- The least of many distances, with its place.
-- ==
-- entry: least
-- input { 1i64 1i64 1i64 } output { true }
-- input { 20i64 30i64 3i64 } output { true }
-- input { 300i64 300i64 2i64 } output { true }
entry least (n: i64) (m: i64) (d: i64): bool =
  let distance i j = i64.sum (tabulate d (\c -> (i - j + c) ** 2))
  let first (a, i) (b, j) = if a < b || (a == b && i < j) then (a, i) else (b, j)
  let found = tabulate n (\i -> reduce first (i64.highest, i64.highest) (tabulate m (\j -> (distance i j, j))))
  in and (tabulate n (\i -> let (a, j) = found[i] in a == distance i j && and (tabulate m (\l -> (a, j) == first (a, j) (distance i l, l)))))

-- Loops around sums, beside updates of cells that elements share.
-- ==
-- entry: loops
-- input { 0i64 3i64 2i64 } output { true }
-- input { 50i64 0i64 2i64 } output { true }
-- input { 50i64 4i64 0i64 } output { true }
-- input { 50i64 4i64 5i64 } output { true }
-- input { 50i64 4i64 100i64 } output { true }
-- input { 70000i64 2i64 70i64 } output { true }
entry loops (n: i64) (k: i64) (d: i64): bool =
  let made i = loop s = 0 for t < k do s + i64.sum (tabulate d (\j -> i * j + t))
  let known i = k * (i * d * (d - 1) / 2) + d * (k * (k - 1) / 2)
  let cells (f: i64 -> i64) =
    let ys = tabulate n f
    in (reduce_by_index (replicate 7 0) (+) 0 (map (% 7) ys) ys, reduce_by_index (replicate 7 0i64) (+) 0 (map (% 7) ys) (replicate n 1))
  let ((a, b), (c, e)) = (cells made, cells known)
  in and (map2 (==) a c) && and (map2 (==) b e)

-- Rows that a loop changes, with few and with many elements in an iteration.
-- ==
-- entry: states
-- input { 0i64 3i64 2i64 } output { true }
-- input { 10i64 5i64 3i64 } output { true }
-- input { 10i64 5i64 90i64 } output { true }
entry states (n: i64) (k: i64) (d: i64): bool =
  let found = tabulate n (\i -> loop row = replicate d i for t < k do let s = i64.sum row in map (\x -> (x + s + t) % 1009) row)
  let one i = loop x = i for t < k do (x + d * x + t) % 1009
  in and (tabulate n (\i -> and (map (== one i) found[i])))

-- Gradients of a sum over pairs: each coordinate of a point is a sum over all other points.
def near (x: f64) (y: f64): bool = f64.abs (x - y) <= 1e-9 * (1 + f64.abs y)
-- ==
-- entry: pairs
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 33i64 } output { true }
entry pairs (n: i64): bool =
  let xs = tabulate_2d n 3 (\i j -> f64.sin (f64.i64 (i * 5 + j)))
  let square a b = f64.sum (map2 (\x y -> (x - y) ** 2) a b)
  let energy (part: i64 -> i64 -> bool) (xs: [n][3]f64) =
    f64.sum (tabulate n (\i -> f64.sum (tabulate n (\j -> if part i j then 1 / (square xs[i] xs[j] + 1) else square xs[j] xs[i] / 2))))
  let force (c: bool) (a: [3]f64) (b: [3]f64) = let r = square a b + 1 in map2 (\x y -> if c then -2 * (x - y) / (r * r) else x - y) a b
  let forces (part: i64 -> i64 -> bool) =
    tabulate n (\i -> loop f = replicate 3 0 for j < n do map3 (\a b c -> a + b + c) f (force (part i j) xs[i] xs[j]) (force (part j i) xs[i] xs[j]))
  let same part = and (map2 (\a b -> and (map2 near a b)) (vjp (energy part) xs 1) (forces part))
  in same (\_ _ -> true) && same (<) && same (\i j -> (i + j) % 3 == 0)
