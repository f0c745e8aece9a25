-- What filters, partitions and transpositions make: beside their input of 64 bytes an array for what may be kept. A partition makes one for
-- the rest, too, which is copied to the end; a map before them makes nothing. Inside of a map all rows share one. A sum of what is kept makes none.
-- counts: filtered < [1f64, 2f64, 3f64, 4f64, 5f64, 6f64, 7f64, 8f64]: copies 0, bytes 0, made 128
-- counts: parted < [1f64, 2f64, 3f64, 4f64, 5f64, 6f64, 7f64, 8f64]: copies 0, bytes 24, made 192
-- counts: rows < [[1f64, 2f64], [3f64, 4f64], [5f64, 6f64], [7f64, 8f64]]: copies 0, bytes 32, made 128
-- counts: mapped < [1f64, 2f64, 3f64, 4f64, 5f64, 6f64, 7f64, 8f64]: copies 0, bytes 0, made 128
-- counts: inside < [[1f64, 2f64], [3f64, 4f64], [5f64, 6f64], [7f64, 8f64]]: copies 0, bytes 0, made 112
-- counts: summed < [[1f64, 2f64], [3f64, 4f64], [5f64, 6f64], [7f64, 8f64]]: copies 0, bytes 0, made 96
-- counts: transposed < [[1f64, 2f64], [3f64, 4f64], [5f64, 6f64], [7f64, 8f64]]: copies 1, bytes 64, made 128
entry filtered (xs: []f64): []f64 = filter (> 3) xs
entry parted (xs: []f64): ([]f64, []f64) = partition (> 3) xs
entry rows [n][m] (xs: [n][m]f64): [][m]f64 = filter (\r -> r[0] > 3) xs
entry mapped (xs: []f64): []f64 = filter (> 3) (map (* 2) xs)
entry inside [n][m] (xs: [n][m]f64): [n]f64 = map (\r -> let ys = filter (> 3) r in if null ys then 0 else ys[0]) xs
entry summed [n][m] (xs: [n][m]f64): [n]f64 = map (\r -> f64.sum (filter (> 3) r)) xs
entry transposed [n][m] (xs: [n][m]f64): [m][n]f64 = transpose xs
