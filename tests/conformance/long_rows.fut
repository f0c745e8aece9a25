-- Reductions of many rows, short and long: sums, and an operator that does not commute.

def cell (i: i64) (j: i64): i64 = (i * 31 + j * 17) % 101

-- ==
-- entry: sums
-- input { 3i64 5i64 } output { 772i64 }
-- input { 3i64 700i64 } output { 104906i64 }
-- input { 17000i64 3i64 } output { 2541182i64 }
-- input { 16384i64 513i64 } output { 420243634i64 }
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
