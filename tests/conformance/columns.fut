-- Reductions and scans of rows by operators that work element by element, compared with loops. The numbers are small integers, so that the order
-- of sums changes nothing.

def number (i: i64) (j: i64): f64 = f64.i64 ((i * 7 + j * 13 + (i * j) % 5) % 7 - 3)
def rows (n: i64) (m: i64): [n][m]f64 = opaque (tabulate_2d n m number)
def numbers (n: i64): [n]f64 = opaque (tabulate n (number 3))
def zeros (m: i64): [m]f64 = replicate m 0
def sums [n][m] (a: [n][m]f64): [m]f64 =
  loop s = zeros m for i < n do loop s = s for j < m do s with [j] = s[j] + a[i][j]
def same [n] (x: [n]f64) (y: [n]f64): bool = and (map2 (==) x y)
def same_rows [n][m] (x: [n][m]f64) (y: [n][m]f64): bool = and (map2 same x y)
def sizes = [(0i64, 3i64), (3, 0), (1, 1), (2, 1000), (300, 1), (300, 7), (1000, 40), (3000, 8)]
def every_size (f: i64 -> i64 -> bool): bool = loop right = true for (n, m) in sizes do right && f n m

-- Rows as they are; made element by element, from numbers and from arrays outside; by an operation of its own; with other results.
-- ==
-- entry: plain elements outer stored mixed
-- input { 0i64 } output { true }
entry plain (_: i64): bool = every_size (\n m -> same (reduce (map2 (+)) (zeros m) (rows n m)) (sums (rows n m)))
entry elements (_: i64): bool = every_size (\n m ->
  let (a, x, v) = (rows n m, numbers n, numbers m)
  in same (reduce (map2 (+)) (zeros m) (map2 (\r y -> map2 (\p q -> p * (y + y) - q) r v) a x))
          (sums (tabulate_2d n m (\i j -> a[i][j] * (x[i] + x[i]) - v[j]))))
entry outer (_: i64): bool = every_size (\n m ->
  let (x, v) = (numbers n, numbers m)
  in same (reduce (map2 (+)) (zeros m) (map (\p -> map (* p) v) x)) (sums (tabulate_2d n m (\i j -> x[i] * v[j]))))
entry stored (_: i64): bool = every_size (\n m ->
  let a = rows n m
  in same (reduce (map2 (+)) (zeros m) (map (scan (+) 0) a)) (sums (map (\r -> loop s = copy r for j < m - 1 do s with [j + 1] = s[j] + s[j + 1]) a)))
entry mixed (_: i64): bool = every_size (\n m ->
  let a = rows n m
  let (firsts, twice) = unzip (map (\r -> (f64.sum r, map (* 2) r)) a)
  let (most, s) = reduce (\(p, x) (q, y) -> (map2 f64.max p q, map2 (+) x y)) (replicate m (-f64.inf), zeros m) (zip a twice)
  in f64.sum firsts == f64.sum (sums a) && same s (map (* 2) (sums a))
     && same most (tabulate m (\j -> loop x = -f64.inf for i < n do f64.max x a[i][j])))

-- Rows of two dimensions: sums of products are a product of matrices.
-- ==
-- entry: products tensors
-- input { 0i64 } output { true }
entry products (_: i64): bool = every_size (\n m ->
  let a = rows n (m / 2)
  in same_rows (reduce (map2 (map2 (+))) (replicate (m / 2) (zeros (m / 2))) (map (\r -> map (\x -> map (* x) r) r) a))
               (tabulate_2d (m / 2) (m / 2) (\i j -> loop s = 0 for k < n do s + a[k][i] * a[k][j])))
entry tensors (_: i64): bool = every_size (\n m ->
  let a = map (\i -> tabulate_2d m 3 (\j k -> number i (j + k))) (iota n)
  in same_rows (reduce (map2 (map2 (+))) (replicate m [0, 0, 0]) a) (tabulate_2d m 3 (\j k -> loop s = 0 for i < n do s + number i (j + k))))

-- An operator that does not commute, by element: the last number that is not zero.
-- ==
-- entry: last
-- input { 0i64 } output { true }
entry last (_: i64): bool = every_size (\n m ->
  let a = rows n m
  in same (reduce (map2 (\x y -> if y == 0 then x else y)) (zeros m) a)
          (tabulate m (\j -> loop x = 0 for i < n do if a[i][j] == 0 then x else a[i][j])))

-- Scans; batches; short rows that one thread combines.
-- ==
-- entry: scans batches short scanned_batches stored_batches fused_scans
-- input { 0i64 } output { true }
entry scans (_: i64): bool = every_size (\n m ->
  let a = rows n m
  in same_rows (scan (map2 (+)) (zeros m) a)
               (loop s = copy a for i < n - 1 do loop s = s for j < m do s with [i + 1, j] = s[i, j] + s[i + 1, j]))
entry batches (_: i64): bool = every_size (\n m ->
  let a = rows n m
  in same_rows (map (\x -> reduce (map2 (+)) (zeros m) (map (map (* x)) a)) (numbers 5)) (map (\x -> map (* x) (sums a)) (numbers 5)))
entry fused_scans (_: i64): bool = every_size (\n m ->
  let a = rows n m
  let s = loop s = copy a for i < n - 1 do loop s = s for j < m do s with [i + 1, j] = s[i, j] + s[i + 1, j]
  let (p, k) = unzip (scan (\(x, i) (y, j) -> (map2 (+) x y, i + j)) (zeros m, 0) (zip (map (map (* 2)) a) (iota n)))
  in same_rows (map (map (+ 1)) (scan (map2 (+)) (zeros m) (map (map (* 2)) a))) (map (map (\x -> 2 * x + 1)) s)
     && same_rows p (map (map (* 2)) s) && and (map2 (==) k (scan (+) 0 (iota n))))
entry scanned_batches (_: i64): bool = every_size (\n m ->
  let a = map (\i -> map (map (+ f64.i64 i)) (rows n m)) (iota 3)
  in and (map2 same_rows (map (\b -> scan (map2 (+)) (zeros m) b) a)
                         (loop s = copy a for k < 3 do loop s = s for i < n - 1 do loop s = s for j < m do s with [k, i + 1, j] = s[k, i, j] + s[k, i + 1, j])))
entry stored_batches (_: i64): bool = every_size (\n m ->
  let a = map (\i -> map (map (+ f64.i64 i)) (rows n m)) (iota 3)
  in same_rows (map (\b -> reduce (map2 (+)) (zeros m) (map (scan (+) 0) b)) a)
               (map (\b -> sums (map (\r -> loop s = copy r for j < m - 1 do s with [j + 1] = s[j] + s[j + 1]) b)) a))
entry short (_: i64): bool = every_size (\n m ->
  let a = rows n m
  in same_rows (map (\r -> reduce (map2 (+)) [0, 0, 0] (map (\x -> [x, x * x, 1]) r)) a)
               (map (\r -> [f64.sum r, f64.sum (map (\x -> x * x) r), f64.i64 m]) a))

-- Derivatives.
-- ==
-- entry: gradients
-- input { 0i64 } output { true }
entry gradients (_: i64): bool = every_size (\n m ->
  let (a, s) = (rows n m, numbers m)
  let f (a: [n][m]f64) = reduce (map2 (+)) (zeros m) (map (map (\x -> x * x)) a)
  in same_rows (vjp f a s) (map (map2 (\w x -> 2 * x * w) s) a) && same (jvp f a (rows n m)) (sums (map (map (\x -> 2 * x * x)) a)))

-- Histograms of rows: elements of their own; with a number beside them; with another operator; of rows of two dimensions; derivatives.
-- ==
-- entry: histograms counted largest blocks histogram_gradients
-- input { 0i64 } output { true }
def bin (i: i64): i64 = (i * i + 3 * i) % 7 - 1
entry histograms (_: i64): bool = every_size (\n m ->
  let a = rows n m
  in same_rows (reduce_by_index (replicate 5 (zeros m)) (map2 (+)) (zeros m) (map bin (iota n)) a)
               (tabulate_2d 5 m (\k j -> loop s = 0 for i < n do if bin i == k then s + a[i][j] else s)))
entry counted (_: i64): bool = every_size (\n m ->
  let a = rows n m
  let (h, c) = unzip (reduce_by_index (replicate 5 (zeros m, 0i32)) (\(x, k) (y, l) -> (map2 (+) x y, k + l)) (zeros m, 0) (map bin (iota n)) (zip a (replicate n 1)))
  in same_rows h (tabulate_2d 5 m (\k j -> loop s = 0 for i < n do if bin i == k then s + a[i][j] else s))
     && and (map2 (==) c (tabulate 5 (\k -> loop s = 0i32 for i < n do if bin i == k then s + 1 else s))))
entry largest (_: i64): bool = every_size (\n m ->
  let a = rows n m
  let least = replicate m (-f64.inf)
  in same_rows (reduce_by_index (replicate 5 least) (map2 f64.max) least (map bin (iota n)) a)
               (tabulate_2d 5 m (\k j -> loop s = -f64.inf for i < n do if bin i == k then f64.max s a[i][j] else s)))
entry blocks (_: i64): bool = every_size (\n m ->
  let a = map (\i -> tabulate_2d m 3 (\j k -> number i (j + k))) (iota n)
  let h = reduce_by_index_2d (replicate 2 (replicate 3 (replicate m [0, 0, 0]))) (map2 (map2 (+))) (replicate m [0, 0, 0]) (map (\i -> (i % 3, bin i % 4)) (iota n)) a
  in and (flatten (tabulate_2d 2 3 (\p q -> same_rows h[p][q] (tabulate_2d m 3 (\j k -> loop s = 0 for i < n do if i % 3 == p && bin i % 4 == q then s + a[i][j][k] else s))))))
entry histogram_gradients (_: i64): bool = every_size (\n m ->
  let (a, w) = (rows n m, rows 5 m)
  let f (a: [n][m]f64) = reduce_by_index (replicate 5 (zeros m)) (map2 (+)) (zeros m) (map bin (iota n)) a
  in same_rows (vjp f a w) (tabulate_2d n m (\i j -> let k = bin i in if k >= 0 && k < 5 then w[k][j] else 0)) && same_rows (jvp f a a) (f a))
