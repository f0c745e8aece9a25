-- scans.fut - scans whose elements wait for each other: sums, greatest numbers so far, recurrences, segments, random numbers, rows.

-- ==
-- entry: sums
-- input { [1f64, 2f64, 3f64] } output { [1f64, 3f64, 6f64] }
-- notest compiled random input { [1000000]f64 }
entry sums (xs: []f64) = scan (+) 0 xs

-- ==
-- entry: greatest
-- input { [1f64, 3f64, 2f64] } output { [1f64, 3f64, 3f64] }
-- notest compiled random input { [1000000]f64 }
entry greatest (xs: []f64) = scan f64.max (-f64.inf) xs

-- A mean that forgets: each number moves it by a share of its own.
-- ==
-- entry: recurrence
-- input { [0.5f64, 0.25f64, 0.5f64] } output { [0.5f64, 0.875f64, 0.9375f64] }
-- notest compiled random input { [1000000]f64 }
entry recurrence (xs: []f64) =
  scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\x -> (x, 1 - x)) xs) |> map (.1)

-- ==
-- entry: segments
-- input { [true, false, true, false] [1f64, 2f64, 3f64, 4f64] } output { [1f64, 3f64, 3f64, 7f64] }
-- notest compiled random input { [1000000]bool [1000000]f64 }
entry segments [n] (starts: [n]bool) (xs: [n]f64) =
  scan (\(f, a) (g, b) -> (f || g, if g then b else a + b)) (false, 0) (zip starts xs) |> map (.1)

-- ==
-- entry: randoms
-- input { 3i64 } output { [1013904223u32, 1196435762u32, 3519870697u32] }
-- notest compiled input { 1000000i64 }
entry randoms (n: i64) =
  scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (replicate n (1664525u32, 1013904223u32)) |> map (.1)

-- ==
-- entry: rows
-- input { [[1f64, 2f64], [3f64, 4f64]] } output { [[1f64, 3f64], [3f64, 7f64]] }
-- notest compiled random input { [3000][300]f64 }
entry rows (xss: [][]f64) = map (scan (+) 0) xss
