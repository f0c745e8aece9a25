-- histograms.fut - many updates of few cells and few of many, of every type; operators of one operation and of more; rows, several arrays at
-- once, results beside them, and checks that fail. Each entry compares with loops. The arguments: cells, then elements.

def same [k] 't (eq: t -> t -> bool) (xs: [k]t) (ys: [k]t): bool = all id (map2 eq xs ys)
-- One after the other. A device does it in one thread of a kernel: a loop of the host would wait for each number.
def updated [k][n] 't (op: t -> t -> t) (d: [k]t) (is: [n]i64) (vs: [n]t): [k]t =
  head (map (\_ -> loop d = copy d for i < n do if is[i] >= 0 && is[i] < k then d with [is[i]] = copy (op d[is[i]] vs[i]) else d) (iota (opaque 1)))
-- Some lie outside.
def places (k: i64) (n: i64): [n]i64 = map (\i -> (i * 7919 + i / 13) % (k + 2) - 1) (iota n)
def one 't (eq: t -> t -> bool) (k: i64) (n: i64) (op: t -> t -> t) (ne: t) (start: i64 -> t) (element: i64 -> t): bool =
  let is = places k n
  let d = map start (iota k)
  let vs = map element (iota n)
  in same eq (reduce_by_index (copy d) op ne is vs) (updated op d is vs)

-- ==
-- entry: words halves
-- input { 0i64 100i64 } output { true }
-- input { 1i64 0i64 } output { true }
-- input { 1i64 2500i64 } output { true }
-- input { 2i64 3i64 } output { true }
-- input { 31i64 6000i64 } output { true }
-- input { 300i64 6000i64 } output { true }
-- input { 5000i64 3000i64 } output { true }
entry words (k: i64) (n: i64): bool =
  one (==) k n (+) 0 id (\i -> i * i)
  && one (==) k n i64.min i64.highest (\i -> i * 30) (\i -> 9999 - i)
  && one (==) k n i64.max i64.lowest (\i -> i - 30) (\i -> (i * 31) % 1013)
  && one (==) k n (^) 0 u64.i64 (\i -> u64.i64 (i * 1000003))
  && one (==) k n u64.max 0 u64.i64 (\i -> u64.i64 (0 - i))
  && one (==) k n (&) (-1) (\i -> i32.i64 (-1 - i)) (\i -> i32.i64 (i * i) | 255)
  && one (==) k n (|) 0 u32.i64 (\i -> 1 << u32.i64 (i % 32))
  && one (==) k n u32.min u32.highest (\_ -> 4000000000) (\i -> u32.i64 (i * 99991))
  && one (==) k n (*) 1 i32.i64 (\i -> 2 * i32.i64 i + 1)
  && one (==) k n (+) 0 f64.i64 (\i -> f64.i64 (i % 64))
  && one (==) k n (+) 0 f32.i64 (\i -> f32.i64 (i % 8))
  && one (==) k n f32.max (-f32.inf) f32.i64 (\i -> if i % 7 == 0 then f32.nan else f32.i64 (i % 1000))
  && one (==) k n f64.min f64.inf f64.i64 (\i -> if i % 5 == 2 then f64.nan else f64.i64 (i % 997 - 500))

entry halves (k: i64) (n: i64): bool =
  one (==) k n (+) 0 i8.i64 (\i -> i8.i64 i)
  && one (==) k n u8.max 0 (\_ -> 3) (\i -> u8.i64 (i % 250))
  && one (==) k n i16.min i16.highest i16.i64 (\i -> i16.i64 (i * 77))
  && one (==) k n (^) 0 u16.i64 (\i -> u16.i64 (i * i))
  && one (==) k n (||) false (\i -> i % 9 == 0) (\i -> i % 5 == 0)
  && one (==) k n (&&) true (\i -> i % 9 != 0) (\i -> i % 5000 != 0)
  && one (==) k n (!=) false (\i -> i % 2 == 0) (\i -> i % 3 == 0)
  && one (==) k n f16.max (-f16.inf) (\i -> f16.i64 (i % 100)) (\i -> f16.i64 (i % 512))

-- Operators of more than one operation: on words, which a compare-and-swap does; on a byte and on pairs, which have locks.
-- ==
-- entry: swapped
-- input { 1i64 2500i64 } output { true }
-- input { 31i64 0i64 } output { true }
-- input { 31i64 6000i64 } output { true }
-- input { 3000i64 4000i64 } output { true }
entry swapped (k: i64) (n: i64): bool =
  one (==) k n (\a b -> a + b + a * b) 0 id (\i -> i % 5)
  && one (==) k n (\a b -> if a > b then a else b) i32.lowest i32.i64 (\i -> i32.i64 (i % 1013))
  && one (==) k n (\a b -> (a + b) % 1009) 0 (\i -> u32.i64 (i % 1009)) (\i -> u32.i64 (i % 1009))
  && one (==) k n (\a b -> if f64.abs a < f64.abs b then b else a) 0 f64.i64 (\i -> f64.i64 (i % 1013))
  && one (==) k n (\a b -> u8.max a b | 1) 1 (\i -> u8.i64 (i % 100) | 1) (\i -> u8.i64 (i % 250) | 1)
  && one (\(a, b) (c, d) -> a == c && b == d) k n (\(a, i) (b, j) -> if a > b || a == b && i < j then (a, i) else (b, j)) (-1, i64.highest) (\i -> (i, i))
         (\i -> (i % 1000, i))

-- Rows, of operators that work on their elements; two histograms of the same elements, a sum and a map beside them.
-- ==
-- entry: several
-- input { 1i64 2500i64 } output { true }
-- input { 0i64 10i64 } output { true }
-- input { 31i64 0i64 } output { true }
-- input { 31i64 3000i64 } output { true }
-- input { 3000i64 4000i64 } output { true }
entry several (k: i64) (n: i64): bool =
  let is = places k n
  let rows = map (\i -> map (\j -> i * j % 17) (iota 3)) (iota n)
  let sums = reduce_by_index (replicate k (replicate 3 1)) (map2 (+)) (replicate 3 0) is rows
  let want = loop d = replicate k (replicate 3 1) for i < n do
               if is[i] >= 0 && is[i] < k then d with [is[i]] = map2 (+) d[is[i]] rows[i] else d
  let vs = map (\i -> i * 3 % 1001) (iota n)
  let counts = reduce_by_index (replicate k 0) (+) 0 is (map (const 1) vs)
  let most = reduce_by_index (replicate k (-1)) i64.max (-1) is vs
  let twice = map (* 2) vs
  in all id (map2 (same (==)) sums want) && same (==) counts (updated (+) (replicate k 0) is (map (const 1) vs))
     && same (==) most (updated i64.max (replicate k (-1)) is vs) && i64.sum twice == 2 * i64.sum vs

-- Numbers and rows at once, and operators that make arrays or go over some: one thread updates.
-- ==
-- entry: together
-- input { 1i64 2500i64 } output { true }
-- input { 0i64 10i64 } output { true }
-- input { 7i64 900i64 } output { true }
entry together (k: i64) (n: i64): bool =
  let eq (a: i64, x: [2]i64) (b, y) = a == b && same (==) x y
  let both f g (a: i64, x: [2]i64) (b, y): (i64, [2]i64) = (f a b, map2 g x y)
  let larger (a: i64, x: [2]i64) (b, y) = if a >= b then (a, x) else (b, y)
  let pair i = (i % 1013, [i, -i])
  let bits = map (1 <<) (iota 9)
  in one eq k n (both (+) i64.max) (0, [i64.lowest, i64.lowest]) pair pair
     && one eq k n larger (-1, [0, 0]) pair (\i -> pair (i * 7 % 1013))
     && one (==) k n (\a b -> i64.sum (map (\x -> x & (a ^ b)) bits)) 0 (% 512) (% 512)
     && one (==) k n (\a b -> i64.maximum (map (\i -> i64.max a b - i) (iota (k + 1)))) 0 id (\i -> i * 31 % 1013)

-- More than one dimension, and what lies turned in memory.
-- ==
-- entry: planes
-- input { 3i64 4000i64 } output { true }
-- input { 40i64 10i64 } output { true }
entry planes (k: i64) (n: i64): bool =
  let is = map (\i -> (i % (k + 1), (i / 3) % 5 - 1)) (iota n)
  let d = transpose (tabulate_2d 4 k (\i j -> i * j))
  let h = reduce_by_index_2d (copy d) (+) 0 is (iota n)
  let want = loop d = copy d for i < n do
               let (a, b) = is[i] in if a < k && b >= 0 && b < 4 then d with [a, b] = d[a, b] + i else d
  in all id (map2 (same (==)) h want)

-- Nothing added leaves a zero its sign.
-- ==
-- entry: signs
-- no_multicore
-- input { 4000i64 } output { [-f64.inf, f64.inf, -f64.inf, f64.inf] }
entry signs (n: i64): []f64 =
  map (1 /) (reduce_by_index [-0.0, 0.0, -0.0, -0.0] (+) 0 (map (\i -> i % 3 + 1) (iota n)) (map (\i -> if i % 3 == 2 then 0.0 else -0.0) (iota n)))

-- ==
-- entry: failing
-- input { 10i64 5000i64 10000i64 } output { [500i64, 500i64, 500i64, 500i64, 500i64, 500i64, 500i64, 500i64, 500i64, 500i64] }
-- input { 10i64 5000i64 4321i64 } error: Assertion is false
entry failing (k: i64) (n: i64) (bad: i64): []i64 =
  reduce_by_index (replicate k 0) (+) 0 (map (\i -> assert (i != bad) (i % k)) (iota n)) (replicate n 1)

-- The sums of a gradient: k-means, with the squares of the distances to the nearest of k points.
-- ==
-- entry: gradient
-- input { 4i64 3000i64 } output { true }
-- input { 1i64 1i64 } output { true }
entry gradient (k: i64) (n: i64): bool =
  let ps = map (\i -> f64.i64 ((i * 37) % 101)) (iota n)
  let nearest cs p = map (\c -> (c - p) * (c - p)) cs |> f64.minimum
  let cost (cs: [k]f64) = f64.sum (map (nearest cs) ps)
  let cs = map (\j -> f64.i64 (j * 25) + 0.5) (iota k)
  let slow = loop d = replicate k 0 for i < n do
               let ds = map (\c -> (c - ps[i]) * (c - ps[i])) cs
               let m = f64.minimum ds
               let j = (loop j = 0 while ds[j] != m do j + 1)
               in d with [j] = d[j] + 2 * (cs[j] - ps[i])
  in same (\a b -> f64.abs (a - b) < 1e-9 * (1 + f64.abs b)) (vjp cost cs 1) slow
