-- A product of matrices.
entry product [n][m][k] (a: [n][k]f32) (b: [k][m]f32): [n][m]f32 =
  map (\row -> map (\column -> f32.sum (map2 (*) row column)) (transpose b)) a
