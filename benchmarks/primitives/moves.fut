-- moves.fut - what only moves elements: filters, partitions and transpositions; and a reduction of pairs, component by component.

-- ==
-- entry: filtered
-- input { [0.5f64, 1.5f64, 1f64, 1.25f64] } output { [1.5f64, 1.25f64] }
entry filtered (xs: []f64): []f64 = filter (> 1) xs

-- ==
-- entry: parted
-- input { [0.5f64, 1.5f64, 1f64, 1.25f64] } output { [1.5f64, 1.25f64] [0.5f64, 1f64] }
entry parted (xs: []f64): ([]f64, []f64) = partition (> 1) xs

-- ==
-- entry: transposed
-- input { [[1f64, 2f64, 3f64], [4f64, 5f64, 6f64]] } output { [[1f64, 4f64], [2f64, 5f64], [3f64, 6f64]] }
entry transposed [n][m] (xs: [n][m]f64): [m][n]f64 = transpose xs

-- ==
-- entry: transposed_f32
-- input { [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32]] } output { [[1f32, 4f32], [2f32, 5f32], [3f32, 6f32]] }
entry transposed_f32 [n][m] (xs: [n][m]f32): [m][n]f32 = transpose xs

-- Far in three dimensions.
-- ==
-- entry: turned
-- input { [[[1f64, 2f64], [3f64, 4f64]], [[5f64, 6f64], [7f64, 8f64]]] } output { [[[1f64, 5f64], [3f64, 7f64]], [[2f64, 6f64], [4f64, 8f64]]] }
entry turned [n][m][k] (xs: [n][m][k]f64): [k][m][n]f64 = transpose (map transpose (transpose xs))

-- ==
-- entry: sum_and_greatest
-- input { [1f64, 2f64] [3f64, -4f64] } output { 3f64 3f64 }
entry sum_and_greatest [n] (xs: [n]f64) (ys: [n]f64): (f64, f64) =
  reduce (\(a, b) (c, d) -> (a + c, f64.max b d)) (0, f64.lowest) (zip xs ys)
