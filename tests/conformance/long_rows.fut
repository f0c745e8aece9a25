-- Reductions of many rows, short and long, and long scans: sums, and operators that do not commute.

def cell (i: i64) (j: i64): i64 = (i * 31 + j * 17) % 101

-- ==
-- entry: sums
-- input { 3i64 5i64 } output { 772i64 }
-- input { 3i64 700i64 } output { 104906i64 }
-- input { 65536i64 3i64 } output { 9796712i64 }
-- large input { 3000i64 513i64 } output { 76948950i64 }
entry sums (n: i64) (m: i64): i64 =
  i64.sum (map (\s -> s - s % 2) (map i64.sum (tabulate_2d n m cell)))

-- x -> a x + b, composed
-- ==
-- entry: composed
-- input { 3i64 5i64 } output { 1630i64 1679i64 }
-- input { 2i64 600i64 } output { 981i64 751i64 }
entry composed (n: i64) (m: i64): (i64, i64) =
  tabulate_2d n m (\i j -> (cell i j + 1, cell j i))
  |> map (reduce (\(a, b) (c, d) -> ((a * c) % 1009, (b * c + d) % 1009)) (1, 0))
  |> reduce (\(a, b) (c, d) -> (a + c, b + d)) (0, 0)

-- Scans of one long array: sums, and the composition of a x + b.
-- ==
-- entry: scanned
-- input { 5i64 } output { 1611i64 819548i64 }
-- input { 65537i64 } output { 667347i64 869517i64 }
-- input { 200000i64 } output { 396827i64 91722i64 }
entry scanned (n: i64): (i64, i64) =
  let sums = scan (+) 0 (tabulate n (\i -> cell i (i / 7)))
  let (a, b) = unzip (scan (\(a, b) (c, d) -> ((a * c) % 1009, (b * c + d) % 1009)) (1, 0) (tabulate n (\i -> (cell i 3 + 1, cell 5 i))))
  in (i64.sum (map2 (\i s -> i % 97 * s) (iota n) sums) % 1000003, i64.sum (map2 (*) a b) % 1000003)
