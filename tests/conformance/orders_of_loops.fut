-- Sums whose elements lie a row apart, in maps over their neighbours: every one is compared with a loop that takes its elements in
-- turn. Sizes around the strips that wide maps are taken in (2048), and empty ones. Numbers are integers, so sums are exact.

def number (i: i64): f64 = f64.i64 ((i * 7919 + 13) % 31 - 15)
def matrix (s: i64) (n: i64) (m: i64) = tabulate_2d n m (\i j -> number (s + i * 37 + j))
def vector (s: i64) (n: i64) = tabulate n (\i -> number (s + i))
def same [n] (a: [n]f64) (b: [n]f64) = f64.sum (map2 (\x y -> f64.abs (x - y)) a b) == 0
def in_turn (m: i64) (f: i64 -> f64): f64 = loop t = 0 for k < m do t + f k

def sums [n] [m] (a: [n][m]f64) = map f64.sum (transpose a)
def product [n] [m] [k] (a: [n][m]f64) (b: [m][k]f64) = map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

-- ==
-- entry: columns
-- input { 3i64 5i64 } output { true true }
-- input { 0i64 5i64 } output { true true }
-- input { 5i64 0i64 } output { true true }
-- input { 1i64 1i64 } output { true true }
-- input { 7i64 2048i64 } output { true true }
-- input { 3i64 2049i64 } output { true true }
-- large input { 2i64 4500i64 } output { true true }
entry columns (n: i64) (m: i64) =
  let a = matrix 1 n m
  let x = vector 5 n
  let weighted = map (\column -> f64.sum (map2 (*) x column)) (transpose a)
  in (same (sums a) (tabulate m (\j -> in_turn n (\i -> a[i, j]))),
      same weighted (tabulate m (\j -> in_turn n (\i -> x[i] * a[i, j]))))

-- ==
-- entry: products
-- input { 3i64 4i64 5i64 } output { true true }
-- input { 2i64 0i64 3i64 } output { true true }
-- input { 0i64 2i64 3i64 } output { true true }
-- large input { 2i64 3i64 2050i64 } output { true true }
entry products (n: i64) (m: i64) (k: i64) =
  let (a, b) = (matrix 1 n m, matrix 2 m k)
  let c = product a b
  in (same (flatten c) (flatten (tabulate_2d n k (\i j -> in_turn m (\l -> a[i, l] * b[l, j])))),
      same (flatten (transpose (product (transpose b) (transpose a)))) (flatten c))

-- What stands before and after the sum, of two values at once; more than one operator.
-- ==
-- entry: around
-- input { 4i64 6i64 } output { true true true }
-- input { 3i64 2049i64 } output { true true true }
-- input { 0i64 3i64 } output { true true true }
entry around (n: i64) (m: i64) =
  let a = matrix 3 n m
  let y = vector 4 m
  let (s, t, u) =
    unzip3 (map2 (\column v ->
                    let e = v * v - 2
                    let (s, t) = reduce (\(s, t) (x, y) -> (s + x, f64.max t y)) (0, -100) (map (\x -> (x * e, x + v)) column)
                    in (s + v, t * e, e)) (transpose a) y)
  let e j = y[j] * y[j] - 2
  in (same s (tabulate m (\j -> in_turn n (\i -> a[i, j] * e j) + y[j])),
      same t (tabulate m (\j -> e j * (loop t = -100 for i < n do f64.max t (a[i, j] + y[j])))),
      same u (tabulate m e))

-- Sums in sums, read at places that the index of the map is part of.
-- ==
-- entry: nested
-- input { 2i64 3i64 4i64 5i64 } output { true true }
-- input { 2i64 0i64 4i64 5i64 } output { true true }
-- input { 2i64 3i64 0i64 5i64 } output { true true }
-- large input { 1i64 2i64 2i64 2049i64 } output { true true }
entry nested (n: i64) (k: i64) (l: i64) (r: i64) =
  let b = tabulate_3d n k l (\i j o -> number (i + 3 * j + 5 * o))
  let (c, d) = (matrix 5 k r, matrix 6 l (r + 1))
  let out =
    map (\slice -> tabulate r (\j -> f64.sum (map2 (\row ck -> ck[j] * f64.sum (map2 (\v dl -> v * dl[j + 1] - dl[0]) row d)) slice c))) b
  in (same (flatten out) (flatten (tabulate_2d n r (\i j -> in_turn k (\p -> c[p, j] * in_turn l (\q -> b[i, p, q] * d[q, j + 1] - d[q, 0]))))),
      length out == n)

-- Derivatives, where updates take the place of sums.
-- ==
-- entry: back
-- input { 3i64 4i64 5i64 } output { true true true }
-- input { 2i64 2i64 2049i64 } output { true true true }
-- large input { 2049i64 2i64 2i64 } output { true true true }
-- input { 2i64 0i64 3i64 } output { true true true }
entry back (n: i64) (m: i64) (k: i64) =
  let (a, b, s) = (matrix 1 n m, matrix 2 m k, matrix 3 n k)
  let relu (x: f64) = f64.max 0 x
  let (da, db) = vjp (\(a, b) -> map (map relu) (product a b)) (a, b) s
  let c = product a b
  let seed i j = if c[i, j] > 0 then s[i, j] else 0
  let dx = vjp (\x -> map (\column -> f64.sum (map2 (*) x column)) (transpose b)) (vector 1 m) (vector 2 k)
  in (same (flatten da) (flatten (tabulate_2d n m (\i l -> in_turn k (\j -> seed i j * b[l, j])))),
      same (flatten db) (flatten (tabulate_2d m k (\l j -> in_turn n (\i -> seed i j * a[i, l])))),
      same dx (tabulate m (\i -> in_turn k (\j -> number (2 + j) * b[i, j]))))

-- Operators on rows: of their elements one by one, in either order of the operands, in scans, of rows of rows, of two rows.
-- ==
-- entry: rows
-- input { 3i64 4i64 } output { true true true true true }
-- input { 0i64 4i64 } output { true true true true true }
-- input { 3i64 0i64 } output { true true true true true }
entry rows (n: i64) (m: i64) =
  let (a, b) = (matrix 1 n m, matrix 2 n m)
  let last = reduce (map2 (\x y -> if f64.isnan y then x else y)) (replicate m f64.nan) a
  let affine = reduce (\(p, q) (r, s) -> (map2 (*) p r, map3 (\x y z -> y * x + z) q r s)) (replicate m 1, replicate m 0) (zip a b)
  let sums = scan (map2 (+)) (replicate m 0) a
  let planes = reduce (map2 (map2 f64.max)) (replicate 2 (replicate m (-100))) (map2 (\x y -> [x, y]) a b)
  let slope = vjp (reduce (map2 (*)) (replicate m 1)) a (replicate m 1)
  in (same last (if n == 0 then last else a[n - 1]) || n == 0,
      same affine.1 (tabulate m (\j -> loop q = 0 for i < n do q * a[i, j] + b[i, j])),
      same (flatten sums) (flatten (tabulate_2d n m (\i j -> in_turn (i + 1) (\k -> a[k, j])))),
      same (flatten planes) (flatten [tabulate m (\j -> loop t = -100 for i < n do f64.max t a[i, j]), tabulate m (\j -> loop t = -100 for i < n do f64.max t b[i, j])]),
      same (flatten slope) (flatten (tabulate_2d n m (\i j -> loop p = 1 for k < n do if k == i then p else p * a[k, j]))))

-- Rows that the map changes, checks inside, integers, a map that only updates.
-- ==
-- entry: others
-- input { 4i64 6i64 } output { true true true true }
-- input { 3i64 2049i64 } output { true true true true }
entry others (n: i64) (m: i64) =
  let a = matrix 3 n m
  let changed = map (\column -> let s = f64.sum column let c = copy column with [0] = s in c[0] + c[n - 1]) (transpose a)
  let chosen = tabulate m (\j -> i64.sum (map (\row -> i64.f64 row[(j + 1) % m]) a))
  let counted =
    reduce_by_index (replicate m 0) (+) 0 (flatten (replicate n (iota m))) (flatten a)
  let largest = map (\column -> reduce i64.max i64.lowest (map i64.f64 column)) (transpose a)
  in (same changed (tabulate m (\j -> in_turn n (\i -> a[i, j]) + (if n == 1 then in_turn n (\i -> a[i, j]) else a[n - 1, j]))),
      same (map f64.i64 chosen) (tabulate m (\j -> in_turn n (\i -> a[i, (j + 1) % m]))),
      same counted (sums a),
      same (map f64.i64 largest) (tabulate m (\j -> loop t = f64.lowest for i < n do f64.max t a[i, j])))
