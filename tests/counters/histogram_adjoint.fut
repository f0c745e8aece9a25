-- The adjoint of a histogram sorts its elements: kernels for each bit of a bin, as many for 4 elements as for 20.
-- run: main < [0i64, 1i64, 1i64, 2i64] [1.0, 2.0, 3.0, 4.0] [1.0, 2.0, 3.0]
-- run: main < [0i64, 1i64, 1i64, 2i64, 0i64, 1i64, 1i64, 2i64, 0i64, 1i64, 1i64, 2i64, 0i64, 1i64, 1i64, 2i64, 0i64, 1i64, 1i64, 2i64] [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0] [1.0, 2.0, 3.0]
entry main [n][m] (is: [n]i64) (vs: [n]f64) (seed: [m]f64) =
  vjp (\vs -> reduce_by_index (replicate m 0) (\a b -> a + b + a * b) 0 is vs) vs seed
