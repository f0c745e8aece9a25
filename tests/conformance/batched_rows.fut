-- Derivatives of reductions, scans and histograms of rows, for each number of directions: those of one direction at a time.
def sums [n] [k] (_is: [n]i64) (a: [n][k]f32): [k]f32 = reduce (map2 (+)) (replicate k 0) a
def products [n] [k] (_is: [n]i64) (a: [n][k]f32): [k]f32 = reduce (map2 (*)) (replicate k 1) a
def largest [n] [k] (_is: [n]i64) (a: [n][k]f32): [k]f32 = reduce (map2 f32.max) (replicate k (-f32.inf)) a
def pairs [n] [k] (_is: [n]i64) (a: [n][k]f32): [k]f32 =
  let (x, y) = reduce (\(a, b) (c, d) -> (map2 (+) a c, map2 f32.min b d)) (replicate k 0, replicate k f32.inf) (zip a (map (map (* 2)) a))
  in map2 (*) x y
def matrices [n] [k] (_is: [n]i64) (a: [n][k]f32): [k]f32 =
  flatten (reduce (map2 (map2 (+))) (replicate 1 (replicate k 0)) (map (\r -> [map (* r[0]) r]) a)) :> [k]f32
def indexed [n] [k] (_is: [n]i64) (a: [n][k]f32): [k]f32 = reduce (\a b -> tabulate k (\i -> a[i] + b[i])) (replicate k 0) a
def turned [n] [k] (_is: [n]i64) (a: [n][k]f32): [k]f32 = reduce (map2 (+)) (replicate k 0) (map (rotate 1) a)
def prefixes [n] [k] (_is: [n]i64) (a: [n][k]f32): [k]f32 = last (scan (map2 (+)) (replicate k 0) (map (map (\x -> x * x)) a))
def prefix_products [n] [k] (_is: [n]i64) (a: [n][k]f32): [k]f32 = last (scan (map2 (*)) (replicate k 1) a)
def bins [n] [k] (is: [n]i64) (a: [n][k]f32): [k]f32 = flatten (hist (map2 (+)) (replicate k 0) 1 is a) :> [k]f32
def bin_products [n] [k] (is: [n]i64) (a: [n][k]f32): [k]f32 = flatten (hist (map2 (*)) (replicate k 1) 1 is a) :> [k]f32
def bin_maxima [n] [k] (is: [n]i64) (a: [n][k]f32): [k]f32 =
  flatten (reduce_by_index [map (* 2) a[0]] (map2 f32.max) (replicate k (-f32.inf)) is a) :> [k]f32
-- One row is put in place, the others lie outside: writes to one place would be in any order.
def placed [n] [k] (is: [n]i64) (a: [n][k]f32): [k]f32 =
  flatten (scatter [replicate k 1] (map2 (\i j -> if j == 0 then 0 else 1 + i) is (iota n)) a) :> [k]f32
def in_loop [n] [k] (_is: [n]i64) (a: [n][k]f32): [k]f32 =
  loop s = replicate k 0 for i < n do map2 (+) s (map2 (*) a[i] a[(i + 1) % n])

def close (a: f32) (b: f32) = f32.abs (a - b) <= 1e-4 * (1 + f32.abs a)
def seeds (k: i64) (m: i64) = tabulate_2d m k (\j i -> f32.i64 ((i * 3 + j * j) % 5))
def reverse_same [n] [k] [m] (f: [n][k]f32 -> [k]f32) (a: [n][k]f32) (ss: [m][k]f32) =
  and (map2 (\x y -> and (map2 close x y)) (map flatten (mjp f a ss)) (map (\s -> flatten (vjp f a s)) ss))
def forward_same [n] [k] [m] (f: [n][k]f32 -> [k]f32) (a: [n][k]f32) (ss: [m][k]f32) =
  let ts = map (\s -> tabulate_2d n k (\i j -> s[j] + f32.i64 i)) ss
  in and (map2 (\x y -> and (map2 close x y)) (jmp f a ts) (map (jvp f a) ts))
-- Directions in numbers that are known when the program is compiled, and in one that is not.
def in_any_number [n] [k] (f: [n][k]f32 -> [k]f32) (a: [n][k]f32) (m: i64) =
  reverse_same f a [(seeds k 1)[0]] && reverse_same f a (seeds k 3) && reverse_same f a (seeds k m)
  && forward_same f a [(seeds k 1)[0]] && forward_same f a (seeds k m)

-- ==
-- entry: reductions
-- input { [0i64, 1i64, 0i64] [[1f32, 2f32], [3f32, 0.5f32], [2f32, 4f32]] 9i64 } output { true }
-- input { [0i64] [[1f32, 2f32, 0f32]] 1i64 } output { true }
entry reductions [n] [k] (is: [n]i64) (a: [n][k]f32) (m: i64) =
  in_any_number (sums is) a m
  && in_any_number (products is) a m
  && in_any_number (largest is) a m
  && in_any_number (pairs is) a m
  && in_any_number (matrices is) a m
  && in_any_number (indexed is) a m
  && in_any_number (turned is) a m

-- ==
-- entry: scans
-- input { [0i64, 1i64, 0i64] [[1f32, 2f32], [3f32, 0.5f32], [2f32, 4f32]] 9i64 } output { true }
-- input { [0i64] [[1f32, 2f32, 0f32]] 1i64 } output { true }
entry scans [n] [k] (is: [n]i64) (a: [n][k]f32) (m: i64) =
  in_any_number (prefixes is) a m
  && in_any_number (prefix_products is) a m

-- ==
-- entry: histograms
-- input { [0i64, 1i64, 0i64] [[1f32, 2f32], [3f32, 0.5f32], [2f32, 4f32]] 9i64 } output { true }
-- input { [0i64] [[1f32, 2f32, 0f32]] 1i64 } output { true }
entry histograms [n] [k] (is: [n]i64) (a: [n][k]f32) (m: i64) =
  in_any_number (bins is) a m
  && in_any_number (bin_products is) a m
  && in_any_number (bin_maxima is) a m
  && in_any_number (placed is) a m

-- ==
-- entry: loops
-- input { [0i64, 1i64, 0i64] [[1f32, 2f32], [3f32, 0.5f32], [2f32, 4f32]] 9i64 } output { true }
-- input { [0i64] [[1f32, 2f32, 0f32]] 1i64 } output { true }
entry loops [n] [k] (is: [n]i64) (a: [n][k]f32) (m: i64) =
  in_any_number (in_loop is) a m
