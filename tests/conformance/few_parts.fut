-- few_parts.fut - a few hundred long iterations, a number that the compiler knows, add to one array: each part of them has a copy, and copies are
-- no array that several threads add to. Numbers are small integers.

def number (i: i64) = f64.i64 ((i * 7 + i / 13) % 11 - 5)
def matrix (n: i64) (m: i64): [n][m]f64 = tabulate_2d n m (\i j -> number (i * m + j))
def weight (j: i64) = f64.i64 (j % 3)

-- Row i is multiplied by the first i + 1 rows of the table.
def squares (q: [256][600]f64) (k: [256][600]f64): f64 =
  f64.sum (map2 (\r i -> f64.sum (map2 (\c j -> let s = f64.sum (map2 (*) r c) in s * s * weight j) (take (i + 1) k) (iota (i + 1)))) q (iota 256))

entry table: bool =
  let (q, k) = (matrix 256 600, matrix 256 600)
  let expected = map2 (\c j -> loop sum = replicate 600 0 for i in j ..< 256 do
                                 let s = 2 * weight j * f64.sum (map2 (*) q[i] c)
                                 in map2 (\a r -> a + s * r) sum q[i]) k (iota 256)
  in vjp (squares q) k 1 == expected

-- Arrays with a row for each iteration are made beside: attention.
def attention (q: [256][8]i64, k: [256][8]i64, v: [256][8]i64): [256][8]i64 =
  map2 (\r i -> let s = map2 (\c j -> if j <= i then i64.sum (map2 (*) r c) else 0) k (iota 256)
                in map (\c -> i64.sum (map2 (*) s c)) (transpose v)) q (iota 256)

entry rows: bool =
  let part k = tabulate_2d 256 8 (\i j -> (i * 5 + j * k) % 7 - 3)
  let (q, k, v) = (part 1, part 2, part 3)
  let (dq, dk, dv) = (part 4, part 5, part 6)
  let inner x y = i64.sum (map2 (*) (flatten x) (flatten y))
  let (gq, gk, gv) = vjp attention (q, k, v) (part 2)
  in inner gq dq + inner gk dk + inner gv dv == inner (part 2) (jvp attention (q, k, v) (dq, dk, dv))

-- ==
-- entry: table rows
-- input { } output { true }
