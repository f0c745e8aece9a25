-- What programs are made of, at sizes where the strategies for large data are taken.
entry sum (xs: []f64): f64 = f64.sum xs
entry sum_f32 (xs: []f32): f32 = f32.sum xs
entry squares (xs: []f64): []f64 = map (\x -> x * x) xs
entry prefix_sums (xs: []f64): []f64 = scan (+) 0 xs
entry sums_of_rows [n][m] (xs: [n][m]f64): [n]f64 = map f64.sum xs
entry histogram [n] (k: i64) (is: [n]i64) (xs: [n]f64): [k]f64 = reduce_by_index (replicate k 0) (+) 0 (map (% k) is) xs
entry counts [n] (k: i64) (is: [n]i64): [k]i32 = reduce_by_index (replicate k 0) (+) 0 (map (% k) is) (replicate n 1i32)
entry gathered [n] (is: [n]i64) (xs: [n]f64): [n]f64 = map (\i -> xs[i % n]) is
-- Numbers that differ from the one before. (The notes of the emulator once were full where a thread comes to a barrier.)
entry unique [n] (xs: [n]i32): []i32 =
  map (.1) (filter (.0) (map2 (\i x -> (i == 0 || x != xs[i - 1], x)) (iota n) xs))
-- A sparse matrix whose rows have up to seven elements, times a vector. (A sampled run that began again once had lost its arguments.)
entry sparse_rows [n][m] (columns: [m]i64) (elements: [m]f64) (xs: [n]f64): [n]f64 =
  let counts = map (% 8) (take n columns)
  in map2 (\end k -> loop sum = 0 for j < k do sum + elements[end - k + j] * xs[columns[end - k + j] % n]) (scan (+) 0 counts) counts
-- Where rows start, and a map over two arrays as if they were one.
entry starts [n] (lengths: [n]i64): [n]i64 = map2 (-) (scan (+) 0 lengths) lengths
entry of_both [n][m] (xs: [n]f32) (ys: [m]f32): []f32 = map (\x -> x * x + 1) (xs ++ ys)
