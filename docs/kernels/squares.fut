-- squares.fut - the program of kernels.md.
entry main (xs: []f64): f64 = f64.sum (map (\x -> x * x) xs)
