-- shared_columns.fut - reductions of columns in an outermost map, which threads share by strips of columns or by parts of the rows:
-- results that are rows, several results, maps wider than a strip and narrower, and updates of places that the rows own.

def matrix (n: i64) (m: i64): [n][m]i64 = tabulate_2d n m (\i j -> i * m + j)
def sum_of (n: i64) (m: i64) (j: i64): i64 = m * (n * (n - 1) / 2) + n * j

-- ==
-- entry: rows several gradient
-- input { 0i64 3i64 } output { true }
-- input { 5i64 70i64 } output { true }
-- input { 1i64 2100i64 } output { true }
-- input { 300i64 70i64 } output { true }
-- input { 257i64 2100i64 } output { true }
-- input { 1000i64 7i64 } output { true }
entry rows (n: i64) (m: i64): bool =
  let sums = map (\c -> let s = i64.sum c in [s, s + 1, -s]) (transpose (matrix n m))
  in and (map2 (\j row -> let s = sum_of n m j in row[0] == s && row[1] == s + 1 && row[2] == -s) (iota m) sums)

entry several (n: i64) (m: i64): bool =
  let (last, both) =
    unzip (map (\c ->
             let s = i64.sum c
             in (i64.maximum c, map (\i -> s - i) (iota 4))) (transpose (matrix n m)))
  let greatest j = if n == 0 then i64.lowest else (n - 1) * m + j
  in and (map3 (\j x row -> x == greatest j && and (map2 (\i y -> y == sum_of n m j - i) (iota 4) row)) (iota m) last both)

-- The gradient with respect to w of sums of columns, each weighted by its row: the sum of each row.
entry gradient (n: i64) (m: i64): bool =
  let a = map (map f64.i64) (matrix n m)
  let g = vjp (\w -> f64.sum (map (\c -> f64.sum (map2 (*) w c)) (transpose a))) (replicate n 1) 1
  in and (map2 (\i x -> x == f64.i64 (m * m * i + m * (m - 1) / 2)) (iota n) g)
