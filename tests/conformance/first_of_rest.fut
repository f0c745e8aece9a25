-- Elements that exist only where something runs: the first of what is left of an array, read once for each of its elements.
-- ==
-- entry: largest
-- input { [[-2i64], [3i64]] } output { [1i64, 0i64] }
-- input { [[4i64, -1i64, 2i64, 7i64, 0i64], [1i64, 2i64, 3i64, 4i64, 5i64]] } output { [2i64, 0i64] }

-- ==
-- entry: after
-- input { 0i64 [1i64, 2i64] } output { [1i64, 2i64] }
-- input { 2i64 [1i64, 2i64] } output { empty([0]i64) }
-- input { 1i64 [1i64, 2i64] } output { [4i64] }

entry largest (m: [][]i64) =
  map (\row ->
         let (_, rest) = partition (> 0) row
         let above = map (\_ -> rest[0] < 0) rest
         in i64.sum (map i64.bool above))
      m

entry after (k: i64) (xs: []i64) = let rest = drop k xs in map (\x -> x * rest[0]) rest
