-- Loops of any number of iterations that hold loops of their own: as many at once as a vector has, and the last ones under a mask
-- (backends/kernel/lanes.cc). All numbers are small integers, so any order gives the same sums.
-- ==
-- entry: products
-- input { 0i64 3i64 } output { true }
-- input { 1i64 0i64 } output { true }
-- input { 70i64 3i64 } output { true }

-- ==
-- entry: calls
-- input { 70i64 4i64 } output { true }

-- ==
-- entry: branches
-- input { 70i64 5i64 } output { true }

-- ==
-- entry: narrow
-- input { 70i64 5i64 } output { true }

-- ==
-- entry: nested
-- input { 40i64 5i64 } output { true }

-- ==
-- entry: written_out
-- input { 70i64 } output { true }

-- The value of each row, of every number of elements up to n, is that of an element on its own.
def all_rows 'a (n: i64) (same: a -> a -> bool) (f: i64 -> i64 -> a) : bool =
  and (tabulate (n + 1) (\k -> let row = tabulate k (\j -> f j k)
                               let ones = map (\j -> (tabulate 1 (\_ -> f j k))[0]) (iota k)
                               in and (map2 same row ones)))

def number (i: i64) : f64 = f64.i64 (i * 7 % 23 - 11)

entry products (n: i64) (d: i64) : bool =
  let w = tabulate_2d d n (\k j -> number (k * n + j))
  in and (tabulate (n + 1) (\m ->
       let x = tabulate d (\k -> number (m + k))
       let row = tabulate m (\j -> loop s = 0 for k < d do s + x[k] * w[k, j])
       in and (tabulate m (\j -> row[j] == f64.sum (map2 (*) x w[:, j])))))

entry calls (n: i64) (d: i64) : bool =
  let near (a: f64) (b: f64) = f64.abs (a - b) < 1e-12
  in all_rows n near (\j k -> loop s = f64.i64 j / 10 for _i < d do f64.sin s + f64.i64 k / 100)

entry branches (n: i64) (d: i64) : bool =
  let xs = map number (iota (n + d))
  in and (tabulate (n + 1) (\m ->
       let row = tabulate m (\j -> loop s = 0 for k < d do if xs[j + k] > 2 then s + xs[j + k] else if k % 2 == 0 then s - 1 else s)
       let one j = f64.sum (map (\k -> if xs[j + k] > 2 then xs[j + k] else if k % 2 == 0 then -1 else 0) (iota d))
       in and (tabulate m (\j -> row[j] == one j))))

entry narrow (n: i64) (d: i64) : bool =
  let xs = map (\i -> u8.i64 (i * 31 % 251)) (iota (n + d))
  in and (tabulate (n + 1) (\m ->
       let row = tabulate m (\j -> loop (s, t) = (0u8, 0i16) for k < d do (s ^ xs[j + k], t + i16.u8 xs[j + k]))
       in and (tabulate m (\j -> row[j].0 == reduce (^) 0 xs[j:j + d] && row[j].1 == i16.sum (map i16.u8 xs[j:j + d])))))

entry nested (n: i64) (d: i64) : bool =
  let w = tabulate_2d d n (\k j -> number (k * n + j))
  in and (tabulate (n + 1) (\m ->
       let row = tabulate m (\j -> loop s = 0 for k < d do s + (loop t = 0 for l < k do t + w[l, j]) * w[k, j])
       in and (tabulate m (\j -> row[j] == f64.sum (tabulate d (\k -> f64.sum (map (\l -> w[l, j]) (iota k)) * w[k, j]))))))

-- Loops that read no array are written out.
entry written_out (n: i64) : bool =
  let near (a: f64) (b: f64) = f64.abs (a - b) < 1e-12
  in all_rows n near (\j k -> loop s = 1 for i < 12 do s * (f64.i64 j / 100) + 1 / f64.i64 (k + i + 1))
