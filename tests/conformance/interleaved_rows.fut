-- Loops over rows whose iterations wait for the one before: several rows run interleaved, and what an iteration stores for the next one is a number.
def rows (n: i64) (m: i64) = tabulate_2d n m (\i j -> f64.i64 ((i * 7 + j * 13) % 11) / 8)
def sums [n] [m] (xss: [n][m]f64): f64 =
  f64.sum (map2 (\i xs -> f64.i64 (i + 1) * f64.sum (map2 (\j x -> f64.i64 (j % 3 + 1) * x) (iota m) xs)) (iota n) xss)

-- ==
-- entry: horner
-- input { 9i64 40i64 } output { 38.036156335397365 }
-- input { 3i64 40i64 } output { 5.018984128967315 }
-- input { 4i64 1i64 } output { 7.875 }
-- input { 5i64 0i64 } output { 0.0 }
-- input { 0i64 40i64 } output { 0.0 }
entry horner (n: i64) (m: i64): f64 = sums (map (\r -> [loop s = 0 for x in r do s * 0.3 + x]) (rows n m))

-- The row that is made is read, too.
-- ==
-- entry: recurrence
-- input { 9i64 40i64 } output { -4164.80534231312 }
-- input { 6i64 33i64 } output { -1612.8869949193613 }
-- input { 4i64 1i64 } output { 7.875 }
-- input { 0i64 40i64 } output { 0.0 }
entry recurrence (n: i64) (m: i64): f64 =
  sums (map (\r -> loop s = copy r for j < m - 1 do s with [j + 1] = s[j] * 0.5 - s[j + 1]) (rows n m))

-- Two arrays of each row, one of which is only used inside, there and back.
-- ==
-- entry: both
-- input { 9i64 40i64 } output { 1091.3434784912222 }
-- input { 4i64 1i64 } output { 1.96875 }
-- input { 8i64 200i64 } output { 4475.598442178575 }
entry both (n: i64) (m: i64): f64 =
  sums (map (\r ->
               let (c, d) = loop (c, d) = (replicate m 0, copy r) for j < m do
                 let w = 1 / (4 - (if j > 0 then c[j - 1] else 0))
                 in (c with [j] = w, d with [j] = (d[j] + (if j > 0 then d[j - 1] else 0)) * w)
               in loop d for q < m - 1 do
                 let i = m - 2 - q
                 in d with [i] = d[i] + c[i] * d[i + 1]) (rows n m))

-- ==
-- entry: prefix
-- input { 9i64 40i64 } output { 45430.375 }
-- input { 6i64 33i64 } output { 15130.5 }
-- input { 8i64 200i64 } output { 903740.25 }
entry prefix (n: i64) (m: i64): f64 = sums (map (scan (+) 0) (rows n m))

-- Branches stay branches.
-- ==
-- entry: branch
-- input { 9i64 40i64 } output { 542.7249999999997 }
-- input { 6i64 33i64 } output { 205.69999999999987 }
-- input { 5i64 0i64 } output { 0.0 }
entry branch (n: i64) (m: i64): f64 =
  sums (map (\r ->
               let (best, now, ends) = loop (best, now, ends) = (0, 0, 0i64) for x in r do
                 let now = now + x - 0.6
                 in if now < 0 then (best, 0, ends + 1) else (f64.max best now, now, ends)
               in [best, now, f64.i64 ends]) (rows n m))

-- A sum over the rows.
-- ==
-- entry: total
-- input { 9i64 40i64 } output { 10.813385442107801 }
-- input { 3i64 40i64 } output { 3.5904982901797666 }
-- input { 5i64 0i64 } output { 5.0 }
entry total (n: i64) (m: i64): f64 = f64.sum (map (\r -> loop s = 1 for x in r do s * 0.5 + x) (rows n m))

-- Beside it a loop that each row runs in its own way, and one whose iterations do not wait.
-- ==
-- entry: ragged
-- input { 9i64 40i64 } output { 732.3134455557689 }
-- input { 6i64 33i64 } output { 360.59875231494937 }
-- input { 4i64 1i64 } output { 64.734375 }
entry ragged (n: i64) (m: i64): f64 =
  sums (map2 (\i r ->
                let s = loop s = 0 for x in r do s * 0.7 + x
                let u = loop u = 0 for j < i % 5 do u + s * f64.i64 j
                let v = if m == 0 then 0 else f64.maximum (map (* s) r)
                in [s, u, v]) (iota n) (rows n m))

-- Their derivatives: each is linear in the rows, so the seeds times the derivatives are the values.
-- ==
-- entry: linear
-- input { 9i64 40i64 } output { true }
-- input { 6i64 33i64 } output { true }
-- input { 4i64 1i64 } output { true }
entry linear (n: i64) (m: i64): bool =
  let f (xss: [n][m]f64) = map (\r -> loop s = copy r for j < m - 1 do s with [j + 1] = s[j] * 0.5 - s[j + 1]) xss
  let seeds = tabulate_2d n m (\i j -> f64.i64 ((i * 5 + j * 3) % 7 - 3) / 4)
  let dot a b = f64.sum (map2 (*) (flatten a) (flatten b))
  let (x, y) = (dot (vjp f (rows n m) seeds) (rows n m), dot seeds (f (rows n m)))
  in f64.abs (x - y) < 1e-9 * (1 + f64.abs y)

-- A branch reads what the iteration before has stored; the first iteration has none before it, and an empty row no element.
-- ==
-- entry: longest_common
-- input { [1i32, 2i32, 3i32, 2i32, 4i32, 1i32, 2i32] [2i32, 4i32, 3i32, 1i32, 2i32, 1i32] } output { 4i32 }
-- input { [1i32, 2i32] empty([0]i32) } output { 0i32 }
-- input { empty([0]i32) [1i32, 2i32] } output { 0i32 }
entry longest_common [n] [m] (xs: [n]i32) (ys: [m]i32): i32 =
  last (loop row = replicate (m + 1) 0 for x in xs do
    (loop (row, corner) = (copy row, 0) for j < m do
       let above = row[j + 1]
       let here = if ys[j] == x then corner + 1 else i32.max above row[j]
       in (row with [j + 1] = here, above)).0)

-- ==
-- entry: products_in_rows
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] } output { [[1i64, 3i64, 6i64], [4i64, 9i64, 15i64]] }
-- input { empty([2][0]i64) } output { empty([2][0]i64) }
entry products_in_rows [n] [m] (xss: [n][m]i64): [n][m]i64 =
  map (\xs -> loop xs = copy xs for i < m do xs with [i] = if i > 0 then xs[i] + xs[i - 1] else xs[i]) xss
