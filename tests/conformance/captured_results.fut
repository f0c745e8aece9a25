-- Local functions that return what they capture as a unique result. Callers may update it, once, where nobody sees it again.

-- ==
-- entry: once
-- input { [1i64, 2i64, 3i64] 5i64 } output { [7i64, 3i64, 4i64] }
entry once [n] (xs: [n]i64) (k: i64): [n]i64 =
  let b = map (+ 1) xs
  let g (q: i64): *[n]i64 = if q > 2 then b else replicate n q
  in g k with [0] = 7

-- ==
-- entry: parameter
-- input { [1i64, 2i64] } output { 1i64 2i64 }
entry parameter [n] (xs: [n]i64): (i64, i64) =
  let g (_: i64): *[n]i64 = xs
  in ((g 0)[0], (g 1)[n - 1])

-- ==
-- entry: own
-- input { [1i64, 2i64] } output { [1i64, 9i64] }
entry own [n] (xs: *[n]i64): *[n]i64 =
  let g (i: i64): *[n]i64 = let _ = i in xs
  let ys = g 0
  in ys with [1] = 9

-- ==
-- entry: rows
-- input { [1i64, 2i64] 3i64 } output { [[2i64, 3i64], [2i64, 3i64], [2i64, 3i64]] [2i64, 8i64] }
entry rows [n] (xs: [n]i64) (k: i64): ([k][n]i64, [n]i64) =
  let b = map (+ 1) xs
  let g (_: i64): *[n]i64 = b
  let all = map g (iota k)
  in (all, copy b with [1] = 8)

-- ==
-- entry: both
-- input { [1i64, 2i64] 4i64 } output { [4i64, 3i64] 5i64 }
-- input { [1i64, 2i64] 1i64 } output { [1i64, 3i64] 2i64 }
entry both [n] (xs: [n]i64) (k: i64): ([n]i64, i64) =
  let b = map (+ 1) xs
  let g (q: i64): (*[n]i64, i64) = (b, q + 1)
  let (x, y) = g k
  in (x with [0] = k, y)

-- ==
-- entry: several
-- input { [1i64, 2i64] 4i64 } output { [2i64, 3i64] [2i64, 3i64] }
entry several [n] (xs: [n]i64) (k: i64): ([n]i64, [n]i64) =
  let b = map (+ 1) xs
  let g (_: i64): *[n]i64 = b
  in (g k, g k)

-- ==
-- entry: partial
-- input { [1i64, 2i64] 4i64 } output { [9i64, 3i64] }
entry partial [n] (xs: [n]i64) (k: i64): [n]i64 =
  let b = map (+ 1) xs
  let g (_: i64) (_: i64): *[n]i64 = b
  let h = g k
  let (+++) = \(_: i64) (_: i64): *[n]i64 -> h 1
  let f = (k +++)
  in f 2 with [0] = 9

-- ==
-- entry: row
-- input { [[1i64, 2i64], [3i64, 4i64]] 1i64 } output { [0i64, 4i64] [0i64, 3i64] }
entry row [n] [m] (xs: [n][m]i64) (k: i64): ([m]i64, [m]i64) =
  let b = map (map (+ 1)) xs
  let g (i: i64): *[m]i64 = xs[i]
  let h (i: i64): *[m]i64 = b[i]
  let x = copy (g k) with [0] = 0
  let y = h 0 with [0] = 0
  in (x, y)

-- ==
-- entry: start
-- input { [1i64, 2i64] 3i64 } output { [5i64, 3i64] }
entry start [n] (xs: [n]i64) (k: i64): [n]i64 =
  let b = map (+ 1) xs
  let g (_: i64): *[n]i64 = b
  in loop a = g k for i < k do a with [0] = a[0] + i
