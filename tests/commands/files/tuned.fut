-- Numbers that the user of the program may set.
-- ==
-- entry: main
-- input { 2i64 } output { 18i64 }
entry main (n: i64) = n * (#[param(factor)] 16)

-- ==
-- entry: each
-- input { [1i64, 2i64] } output { [12i64, 17i64] }
entry each [n] (xs: [n]i64) = map (\x -> x * (#[param(more)] (n + 1)) + (#[param(factor)] 16) - n * (n - 1)) xs
