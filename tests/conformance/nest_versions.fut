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

-- Rows that are filled, and updated at one place each.
-- ==
-- entry: marked
-- input { 0i64 4i64 0i64 } output { true }
-- input { 3i64 4i64 1i64 } output { true }
-- input { 7i64 100i64 50i64 } output { true }
-- input { 7i64 100i64 94i64 } error: Index \[100\] out of bounds
-- input { 1i64 0i64 0i64 } error: Index \[0\] out of bounds
entry marked (n: i64) (d: i64) (at: i64): bool =
  let rows = tabulate n (\i -> let s = i64.sum (tabulate d (\j -> i + j)) in replicate d 1 with [at + i] = s)
  in and (tabulate n (\i -> and (tabulate d (\j -> rows[i, j] == if j == at + i then i * d + d * (d - 1) / 2 else 1))))

-- States of a loop, which the way back reads; and the place of a maximum.
-- ==
-- entry: recorded
-- input { 0i64 3i64 4i64 } output { true }
-- input { 5i64 0i64 4i64 } output { true }
-- input { 5i64 3i64 1i64 } output { true }
-- input { 5i64 3i64 90i64 } output { true }
entry recorded (n: i64) (k: i64) (d: i64): bool =
  let xs = tabulate_2d n d (\i j -> f64.sin (f64.i64 (i * 5 + j)))
  let vs = tabulate_2d n d (\i j -> f64.cos (f64.i64 (i + 3 * j)))
  let row (x: [d]f64) =
    let y = loop x for _t < k do let s = f64.sum x / f64.i64 d in map (\a -> f64.sin (a * s + 1)) x
    let top = f64.maximum y
    in f64.log (f64.sum (map (\a -> f64.exp (a - top)) y))
  let total (xs: [n][d]f64) = f64.sum (map row xs)
  in near (jvp total xs vs) (f64.sum (map2 (\g v -> f64.sum (map2 (*) g v)) (vjp total xs 1) vs))

-- Sums over rows and over columns of one matrix.
-- ==
-- entry: both_ways
-- input { 0i64 3i64 } output { true }
-- input { 3i64 0i64 } output { true }
-- input { 40i64 70i64 } output { true }
entry both_ways (n: i64) (m: i64): bool =
  let xs = tabulate_2d n m (\i j -> f64.sin (f64.i64 (i * 5 + j)))
  let ws = tabulate m (\j -> f64.cos (f64.i64 j))
  let total (xs: [n][m]f64, ws: [m]f64) = f64.sum (map (\x -> let s = f64.sum x in f64.sum (map2 (\a w -> f64.exp (a - s * w)) x ws)) xs)
  let (gx, gw) = vjp total (xs, ws) 1
  in near (jvp total (xs, ws) (map (map f64.cos) xs, map f64.sin ws))
          (f64.sum (map2 (\g x -> f64.sum (map2 (\a b -> a * f64.cos b) g x)) gx xs) + f64.sum (map2 (\g w -> g * f64.sin w) gw ws))
