-- Nests that a device distributes over several kernels: results that share memory, elements read before their array is
-- updated in place, loops without iterations, branches, accumulations into arrays of the body.

def table (n: i64) (m: i64): [n][m]i64 = tabulate_2d n m (\i j -> (i * 13 + j * 7) % 19 - 5)

-- Both results are one array inside; they are two outside.
-- ==
-- entry: twins
-- input { 3i64 9i64 } output { [[100i64, -3i64, 6i64, 3i64, 7i64, 18i64, 17i64, 23i64, 36i64], [8i64, 4i64, 7i64, 17i64, 15i64, 20i64, 32i64, 32i64, 39i64]] 5i64 }
entry twins (n: i64) (m: i64) =
  let (a, b) = unzip (map (\row -> let s = scan (+) 0 row in (s, s)) (table n m))
  let a' = copy a with [0, 0] = 100
  in ([a'[0], b[1]], a'[0, 0] - b[0, 0] - 100)

-- A row of the argument and what was computed from it; the row is then updated.
-- ==
-- entry: row_and_sum
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] } output { [[9i64, 2i64, 3i64], [4i64, 5i64, 6i64]] [[1i64, 3i64, 6i64], [4i64, 9i64, 15i64]] }
entry row_and_sum [n] [m] (xss: *[n][m]i64): ([n][m]i64, [n][m]i64) =
  let (rows, sums) = unzip (map (\row -> (row, scan (+) 0 row)) xss)
  let rows = copy rows with [0, 0] = 9
  in (rows, sums)

-- The element is read before the row is overwritten, and used after it.
-- ==
-- entry: before
-- input { 4i64 9i64 } output { [77i64, 70i64, 82i64, 56i64] }
entry before (n: i64) (m: i64): [n]i64 =
  let rows = copy (table n m)
  in map (\row ->
            let first = row[0]
            let total = reduce (+) 0 row
            let row = copy row with [0] = total
            let shifted = map (\x -> x + first) row
            in reduce (+) 0 shifted - m * first)
         rows

-- The same in place: rows of a consumed array.
-- ==
-- entry: before_in_place
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] } output { [14i64, 44i64] }
entry before_in_place [n] [m] (xss: *[n][m]i64): [n]i64 =
  map (\row: i64 ->
         let first = row
         in first * 2)
      (map (\row -> let first = row[0]
                    let row' = scatter (copy row) (iota m) (map (+ first) row)
                    let row'' = copy row' with [1] = 0
                    in reduce (+) 0 row'' + first) xss)

-- ==
-- entry: no_iteration
-- input { 0i64 } output { [[7i64, 2i64, 3i64], [4i64, 5i64, 6i64]] [[1i64, 3i64, 6i64], [4i64, 9i64, 15i64]] [[1i64, 3i64, 6i64], [4i64, 9i64, 15i64]] }
-- input { 2i64 } output { [[7i64, 11i64, 22i64], [16i64, 41i64, 76i64]] [[1i64, 3i64, 6i64], [4i64, 9i64, 15i64]] [[1i64, 3i64, 6i64], [4i64, 9i64, 15i64]] }
entry no_iteration (k: i64) =
  let xss = [[1i64, 2, 3], [4, 5, 6]]
  let (a, b, c) =
    unzip3 (map (\row ->
                   let s = scan (+) 0 row
                   let t = loop t = row for _i < k do scan (+) 0 (map (+ t[0]) t)
                   in (t, s, s)) xss)
  in (copy a with [0, 0] = 7, b, copy c)

-- ==
-- entry: branches
-- input { true } output { [[3i64, 5i64, 7i64], [9i64, 11i64, 13i64]] [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] }
-- input { false } output { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] }
entry branches (c: bool) =
  let xss = [[1i64, 2, 3], [4, 5, 6]]
  in unzip (map (\row -> (if c then map (\x -> 2 * x + 1) row else row, row)) xss)

-- Histograms of rows, and their largest bins.
-- ==
-- entry: bins
-- input { 3i64 40i64 } output { [8i64, 7i64, 8i64] 0i64 }
entry bins (n: i64) (m: i64) =
  let hs = map (\row -> reduce_by_index (replicate 6 0i64) (+) 0 (map (% 7) row) (map (const 1) row)) (table n m)
  in (map (reduce i64.max 0) hs, hs[0, 0] - hs[0, 0])

-- Several statements, costly values between them, a scan of a reduction's result, three levels.
-- ==
-- entry: levels
-- input { 3i64 4i64 9i64 } output { [[25i64, 25i64, 25i64, 25i64], [22i64, 26i64, 27i64, 23i64], [19i64, 24i64, 28i64, 27i64]] }
entry levels (n: i64) (m: i64) (k: i64) =
  map (\i ->
         let xs = map (\j -> let ys = map (\l -> (i * j + l * l) % 23) (iota k)
                             let s = reduce (+) 0 ys
                             let zs = scan i64.max i64.lowest (map (\y -> (y * s) % 31) ys)
                             in zs[k - 1] + s) (iota m)
         let t = reduce (+) 0 xs
         in map (\x -> x * 100 / t) xs) (iota n)
