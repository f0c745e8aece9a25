-- A map that only a reduction reads disappears into it: three kernels for any size.
-- run: main < [1.0, 2.0, 3.0, 4.0]
entry main (xs: []f64): f64 = reduce (+) 0 (map (\x -> x * x) xs)
