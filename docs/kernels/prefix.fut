-- prefix.fut - the sums of all beginnings of an array.
entry sums [n] (xs: [n]f64): [n]f64 = scan (+) 0 xs
