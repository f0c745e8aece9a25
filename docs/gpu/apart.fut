-- apart.fut - twice each element of an array; in order, or as the columns of a matrix that has 1024 of them.
entry in_order (xs: []f64): []f64 = map (2 *) xs
entry apart [n] (xs: [n]f64): []f64 = tabulate n (\i -> 2 * xs[(i % (n / 1024)) * 1024 + i / (n / 1024)])
