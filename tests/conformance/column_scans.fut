-- Scans of columns, which run over rows where there are enough columns (column_scans.cc). Each is compared with a scan of rows.

def matrix (n: i64) (m: i64) = tabulate_2d n m (\i j -> f64.i64 ((i * 7 + j * 3 + 5) % 11) - 4)

def same [n][m] (xss: [n][m]f64) (yss: [n][m]f64) = and (map2 (\xs ys -> and (map2 (==) xs ys)) xss yss)

-- ==
-- entry: sums maxima affine weighted backwards pairs
-- input { 3i64 20i64 } output { true }
-- input { 5i64 2i64 } output { true }
-- input { 1i64 17i64 } output { true }
-- input { 0i64 20i64 } output { true }
-- input { 4i64 0i64 } output { true }
entry sums (n: i64) (m: i64) =
  let xss = matrix n m
  in same (transpose (map (scan (+) 0) (transpose xss))) (scan (map2 (+)) (replicate m 0) xss)

entry maxima (n: i64) (m: i64) =
  let xss = matrix n m
  let (a, b) = unzip (map (\xs -> let s = scan f64.max (-f64.inf) xs in (map (* 2) s, s)) (transpose xss))
  let rows = scan (map2 f64.max) (replicate m (-f64.inf)) xss
  in same (transpose a) (map (map (* 2)) rows) && same (transpose b) rows

-- An operator that does not commute, on what a map makes of the elements.
entry affine (n: i64) (m: i64) =
  let xss = matrix n m
  let op (a: f64, b: f64) (c: f64, d: f64) = (a * c, b * c + d)
  let by_columns = transpose (map (\xs -> map (.1) (scan op (1, 0) (map (\x -> (0.5, x + 1)) xs))) (transpose xss))
  let by_rows = map (map (.1)) (scan (map2 op) (replicate m (1, 0)) (map (map (\x -> (0.5, x + 1))) xss))
  in same by_columns by_rows

-- A number of each column, and one of each row.
entry weighted (n: i64) (m: i64) =
  let xss = matrix n m
  let ws = map f64.i64 (iota m)
  let vs = map f64.i64 (iota n)
  let by_columns = transpose (map2 (\xs w -> map (+ w) (scan (+) 0 (map2 (\x v -> x * w + v) xs vs))) (transpose xss) ws)
  let by_rows = map (map2 (+) ws) (scan (map2 (+)) (replicate m 0) (map2 (\xs v -> map2 (\x w -> x * w + v) xs ws) xss vs))
  in same by_columns by_rows

entry backwards (n: i64) (m: i64) =
  let xss = matrix n m
  let sums xss = transpose (map (scan (+) 0) (transpose xss))
  let g = vjp sums xss xss
  in same g (reverse (scan (map2 (+)) (replicate m 0) (reverse xss)))

entry pairs (n: i64) (m: i64) =
  let xss = matrix n m
  let columns = map2 (\xs ys -> scan (+) 0 (map2 (*) xs ys)) (transpose xss) (transpose (reverse xss))
  in same (transpose columns) (scan (map2 (+)) (replicate m 0) (map2 (map2 (*)) xss (reverse xss)))

-- Inside of a map, and not turned back.
-- ==
-- entry: batches
-- input { 2i64 3i64 18i64 } output { true }
-- input { 2i64 3i64 2i64 } output { true }
entry batches (k: i64) (n: i64) (m: i64) =
  let xsss = tabulate k (\i -> map (map (+ f64.i64 i)) (matrix n m))
  let columns = map (\xss -> map (scan (+) 0) (transpose xss)) xsss
  in and (map2 (\yss xss -> same (transpose yss) (scan (map2 (+)) (replicate m 0) xss)) columns xsss)
