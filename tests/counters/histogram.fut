-- One kernel updates a histogram in place.
-- run: main < [0i64, 1i64, 1i64, 2i64] [1.0, 2.0, 3.0, 4.0]
entry main [n] (is: [n]i64) (vs: [n]f64) = reduce_by_index (replicate 3 0) (+) 0 is vs
