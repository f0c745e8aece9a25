-- Batches of contractions, for what computes them in tiles on devices: both operands in the batch, or one; the batch in the middle; adjoints;
-- two products with something between them, as in attention. Sizes around those of tiles, and zero.

def mm [n][m][k] (a: [n][k]f64) (b: [k][m]f64): [n][m]f64 =
  map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a

def product [s][n][m][k] (a: [s][n][k]f64) (b: [s][k][m]f64): [s][n][m]f64 = map2 mm a b
def product_of_one [s][n][m][k] (a: [n][k]f64) (b: [s][k][m]f64): [s][n][m]f64 = map (mm a) b

-- The batch is counted by the map in the middle.
def middle [s][n][m][k] (a: [n][k]f64) (b: [s][m][k]f64): [n][s][m]f64 =
  map (\r -> map (map (\c -> f64.sum (map2 (*) r c))) b) a

def middle_of_batch [s][n][m][k] (a: [n][s][k]f64) (b: [s][m][k]f64): [n][s][m]f64 =
  map (\rs -> map2 (\r bs -> map (\c -> f64.sum (map2 (*) r c)) bs) rs b) a

def adjoint [s][n][m][k] (a: [s][n][k]f64) (b: [s][k][m]f64) (d: [s][n][m]f64):
    ([s][n][k]f64, [s][k][m]f64) = vjp (\(a, b) -> map2 mm a b) (a, b) d

def attend [h][n][d] (q: [h][n][d]f64) (k: [h][n][d]f64) (v: [h][n][d]f64): [h][n][d]f64 =
  map3 (\q k v ->
          let s = map (\r -> map (\c -> f64.sum (map2 (*) r c)) k) q
          let p =
            map
              (\r ->
                 let m = f64.maximum r
                 let e = map (\x -> f64.exp (x - m)) r
                 let z = f64.sum e
                 in map (/ z) e) s
          in mm p v) q k v

def num (s: i64) (i: i64) = f64.i64 (((i * 7919 + s * 31) % 1013) % 5 - 2)
def arr3 (s: i64) (a: i64) (b: i64) (c: i64) = opaque (unflatten_3d (tabulate (a * b * c) (num s)))
def arr2 (s: i64) (a: i64) (b: i64) = opaque (unflatten (tabulate (a * b) (num s)))

def dig3 [a][b][c] (x: [a][b][c]f64) =
  f64.sum (map2 (\v i -> v * f64.i64 (i % 17 + 1)) (flatten_3d x) (iota (a * b * c)))

-- ==
-- entry: both
-- input { 3i64 20i64 17i64 33i64 }
-- output { 550.0f64 }
-- input { 2i64 130i64 65i64 40i64 }
-- output { -5234.0f64 }
-- input { 0i64 20i64 20i64 20i64 }
-- output { 0.0f64 }
-- input { 3i64 40i64 0i64 20i64 }
-- output { 0.0f64 }
entry both s n m k = dig3 (product (arr3 1 s n k) (arr3 2 s k m))

-- ==
-- entry: one
-- input { 3i64 20i64 17i64 33i64 }
-- output { -308.0f64 }
-- input { 2i64 33i64 40i64 300i64 }
-- output { 1116.0f64 }
entry one s n m k = dig3 (product_of_one (arr2 1 n k) (arr3 2 s k m))

-- ==
-- entry: middle_of_one
-- input { 3i64 20i64 17i64 33i64 }
-- output { -669.0f64 }
-- input { 2i64 130i64 65i64 40i64 }
-- output { -1273.0f64 }
entry middle_of_one s n m k = dig3 (middle (arr2 1 n k) (arr3 2 s m k))

-- ==
-- entry: middle_of_both
-- input { 3i64 20i64 17i64 33i64 }
-- output { 31.0f64 }
-- input { 5i64 7i64 9i64 3i64 }
-- output { 355.0f64 }
entry middle_of_both s n m k = dig3 (middle_of_batch (arr3 1 n s k) (arr3 2 s m k))

-- ==
-- entry: adjoints
-- input { 3i64 20i64 17i64 33i64 }
-- output { 13274.0f64 }
-- input { 2i64 33i64 40i64 300i64 }
-- output { -14324.0f64 }
-- input { 1i64 16i64 16i64 16i64 }
-- output { -4493.0f64 }
entry adjoints s n m k =
  let (x, y) = adjoint (arr3 1 s n k) (arr3 2 s k m) (arr3 3 s n m) in dig3 x + 3 * dig3 y

-- ==
-- entry: attention
-- input { 3i64 20i64 17i64 1i64 }
-- output { 9.8154194e7f64 }
-- input { 2i64 33i64 40i64 1i64 }
-- output { -2.0087998e8f64 }
entry attention h n d (_: i64) =
  f64.round (1e6 * dig3 (attend (arr3 1 h n d) (arr3 2 h n d) (arr3 3 h n d)))
