entry main (n: i64): f64 =
  let a = opaque (tabulate_2d n n (\i j -> f64.i64 (i + j)))
  in f64.sum (flatten (map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose a)) a))
