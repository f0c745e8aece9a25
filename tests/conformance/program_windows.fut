-- Sizes that are expressions, sizes through records and functions, existential returns taken apart.
type block [k] 't = {head: t, body: [k]t}
def pack [n] 't (b: block [n] t): [1 + n]t = [b.head] ++ b.body

def windows [n] 't (k: i64) (xs: [n]t): [n - k + 1][k]t =
  tabulate (n - k + 1) (\i -> xs[i:i + k] :> [k]t)

def chunks [n] [k] 't (xs: [n * k]t): [n][k]t = unflatten xs

def both [n] (f: (m: i64) -> [m]i32) (xs: [n]i32): ([n]i32, [n + 1]i32) =
  (map2 (+) xs (f n), f (n + 1))

def split_at_first [n] (p: i32 -> bool) (xs: [n]i32): ?[k].([k]i32, [n - k]i32) =
  let k = loop i = 0 while i < n && !(p xs[i]) do i + 1
  in (xs[:k], xs[k:])

def lift_sizes [n] [m] (f: [n]i32 -> [m]i32) (xss: [][n]i32) = map f xss
-- ==
-- entry: windowed
-- input { 2i64 [1,2,3,4] } output { [[1i32, 2i32], [2i32, 3i32], [3i32, 4i32]] [0i32, 1i32, 2i32, 3i32, 4i32] }
-- input { 4i64 [1,2,3,4] } output { [[1i32, 2i32, 3i32, 4i32]] [0i32, 1i32, 2i32, 3i32, 4i32] }
-- input { 5i64 [1,2,3,4] } output { empty([0][5]i32) [0i32, 1i32, 2i32, 3i32, 4i32] }
entry windowed [n] (k: i64) (xs: [n]i32) = (windows k xs, pack {head = 0, body = xs})

-- ==
-- entry: parts
-- input { [1,2,9,4,5] }
-- output { [1i32, 2i32] [9i32, 4i32, 5i32] [1i32, 3i32, 11i32, 7i32, 9i32] [0i32, 1i32, 2i32, 3i32, 4i32, 5i32] [[5i32, 4i32,
--   9i32, 2i32, 1i32], [5i32, 4i32, 9i32, 2i32, 1i32]] 5i64 }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([0]i32) [0i32] empty([2][0]i32) 0i64 }
entry parts [n] (xs: [n]i32) =
  let (a, b) = split_at_first (> 5) xs
  let (c, d) = both (\m -> map i32.i64 (iota m)) xs
  let e: [2][n]i32 = chunks (xs ++ xs :> [2 * n]i32)
  in (a, b, c, d, lift_sizes reverse e, length a + length b)

-- ==
-- entry: binder
-- input { 7i64 }
-- output { 4i64 [[0i64, 0i64, 0i64, 0i64], [0i64, 4i64, 8i64, 12i64], [0i64, 8i64, 16i64, 24i64], [0i64, 12i64, 24i64,
--   36i64]] [0i64, 3i64, 6i64, 9i64] }
entry binder (n: i64) =
  let [k] (evens: [k]i64) = filter (\x -> x % 2 == 0) (iota n)
  let sq: [k][k]i64 = map (\x -> map (* x) evens) evens
  in (k, sq, map2 (+) evens (iota k))
