-- products.fut - products of matrices, whose counts are looked at for sizes that tiles divide and for others (cases.py).
entry product_f64 [n][m][k] (a: [n][k]f64) (b: [k][m]f64): [n][m]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

entry product_f32 [n][m][k] (a: [n][k]f32) (b: [k][m]f32): [n][m]f32 =
  map (\row -> map (\column -> f32.sum (map2 (*) row column)) (transpose b)) a
