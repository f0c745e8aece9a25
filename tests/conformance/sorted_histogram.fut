-- The gradient of histograms with operators of their own: long enough for many parts, with a free variable of the operator, of
-- pairs, rows and all in one bin.

def joined [n][k] (w: f64) (ds: [k]f64) (is: [n]i64) (xs: [n]f64): f64 =
  let hs = reduce_by_index (copy ds) (\a b -> a + b + w * a * b) 0 is xs
  in f64.sum (map f64.sin hs)

def turned [n][k] (w: f64) (ds: [k]f64) (is: [n]i64) (xs: [n]f64): f64 =
  let (as, bs) = unzip (hist (\(a, b) (c, d) -> (a * c - b * d, a * d + b * c)) (1, 0) k is (zip (map f64.cos xs) (map (\x -> f64.sin (w * x)) xs)))
  in f64.sum (map3 (\a b d -> a * d + b * b) as bs ds)

def rows [n][k] (w: f64) (ds: [k]f64) (is: [n]i64) (xs: [n]f64): f64 =
  let hs = reduce_by_index (transpose (replicate 3 ds)) (map2 (\a b -> a + b + w * a * b)) (replicate 3 0) is
                           (map (\x -> map (\j -> x * f64.i64 j) (iota 3)) xs)
  in f64.sum (map f64.sum (map (map f64.sin) hs))

def values (n: i64) (k: i64) = (tabulate k (\i -> 0.1 + 0.01 * f64.i64 (i % 7)), tabulate n (\i -> i * 7919 % (k + 2) - 1),
                               tabulate n (\i -> 0.01 * f64.cos (f64.i64 i)))

-- Both modes agree, and so does the second derivative by reverse mode over itself and by forward mode over reverse mode.
def agree [n][k] (f: f64 -> [k]f64 -> [n]i64 -> [n]f64 -> f64) (ds: [k]f64) (is: [n]i64) (xs: [n]f64): bool =
  let g (w, ds, xs) = f w ds is xs
  let x = (0.9, ds, xs)
  let d = (0.5, map (* 2) ds, map f64.sin xs)
  let dot (a, bs: [k]f64, cs: [n]f64) (d, es: [k]f64, fs: [n]f64) = a * d + f64.sum (map2 (*) bs es) + f64.sum (map2 (*) cs fs)
  let near a b = f64.abs (a - b) <= 1e-9 * (1 + f64.abs a)
  in near (jvp g x d) (dot (vjp g x 1) d) && near (dot (jvp (\x -> vjp g x 1) x d) d) (dot (vjp (\x -> vjp g x 1) x d) d)

-- ==
-- entry: scalars pairs cells
-- input { 5i64 3i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 0i64 2i64 } output { true }
-- input { 3i64 0i64 } output { true }
-- input { 800i64 1i64 } output { true }
-- input { 800i64 70i64 } output { true }
-- input { 40i64 700i64 } output { true }
entry scalars (n: i64) (k: i64): bool = let (ds, is, xs) = values n k in agree joined ds is xs
entry pairs (n: i64) (k: i64): bool = let (ds, is, xs) = values n k in agree turned ds is xs
entry cells (n: i64) (k: i64): bool = let (ds, is, xs) = values n k in agree rows ds is xs

-- Many seeds.
-- ==
-- entry: seeds
-- input { 200i64 5i64 } output { true }
entry seeds (n: i64) (k: i64): bool =
  let (ds, is, xs) = values n k
  let f xs = reduce_by_index (copy ds) (\a b -> a + b + 0.9 * a * b) 0 is xs
  let all = mjp f xs (tabulate_2d k k (\i j -> if i == j then 1 else 0))
  in and (map2 (\row i -> and (map2 (\a b -> f64.abs (a - b) <= 1e-12) row (vjp f xs (tabulate k (\j -> if i == j then 1 else 0))))) all (iota k))
