-- Top-level values of all kinds, used by functions.
def n: i64 = 3
def xs: [n]f64 = map f64.i64 (iota n)
def grad = vjp (\ys -> f64.sum (map (\y -> y * y) ys)) xs 1
def m = map (\x -> map (* x) xs) xs
def pair = (reduce (+) 0 xs, scan (+) 0 xs)
def looped = loop v = copy xs for i < n do v with [i] = v[i] + 1
def fact (k: i64): i64 = if k == 0 then 1 else k * fact (k - 1)
def f5 = fact 5
def lookup = scatter (replicate 4 0i32) [1, 2] [10, 20]
def op = (\(x: f64) (y: f64) -> x * y + grad[1])
-- ==
-- entry: use
-- input { 1i64 } output { 2.0 [0.0,2.0,4.0] [0.0,1.0,2.0] 3.0 [0.0,1.0,3.0] [1.0,2.0,3.0] 120i64 10i32 8.0 }
entry use (i: i64) = (grad[i], copy grad, copy m[1], pair.0, copy pair.1, copy looped, f5, lookup[i], op 2 3)
-- ==
-- entry: use_in_map
-- input { [1i64,2i64] } output { [2.0,4.0] [13.0, 26.0] }
entry use_in_map (is: []i64) = (map (\i -> grad[i]) is, map (\i -> f64.i64 i * f64.sum (map2 (\x y -> x * y + 1) looped grad) - f64.i64 i * 6) is)
-- ==
-- entry: derivative
-- input { 2.0 } output { 12.0 }
entry derivative (x: f64) = vjp (\y -> f64.sum (map (* y) (map2 (+) xs looped)) + y * pair.0) x 1

-- Constants that hold functions: their results are new.
def pairs = let n = 3 in (iota n, \i -> replicate n i)
def fields = {f = \(n: i64) -> replicate n n, a = [1i64, 2], g = {h = \(x: i64) -> [x, x + 1]}}
module holder = { def pair = (iota 3, \(i: i64) -> [i, i]) module inner = { def r = {f = \(i: i64) -> [i], k = [[1i64]]} } }
module holders (x: {val n: i64}) = { def pair = (iota x.n, \(i: i64) -> replicate x.n i) }
module held = holders {def n = 2i64}
type^ choice = #fun (i64 -> [2]i64) | #none
def chosen: choice = #fun (\i -> [i, i])

-- ==
-- entry: of_pair
-- input { 7i64 } output { [0i64, 1i64, 2i64] [7i64, 7i64, 7i64] }
entry of_pair (x: i64) = (copy pairs.0, pairs.1 x)

-- ==
-- entry: of_fields
-- input { 2i64 } output { [9i64, 2i64] [2i64, 3i64] }
entry of_fields (x: i64) = (fields.f x with [0] = 9, fields.g.h x)

-- ==
-- entry: of_modules
-- input { 2i64 } output { [2i64, 2i64] [2i64] [2i64, 2i64] [2i64, 2i64] }
entry of_modules (x: i64) =
  let (_, f) = holder.pair
  in (holder.pair.1 x, holder.inner.r.f x, held.pair.1 x, f x)

-- ==
-- entry: of_sum
-- input { 2i64 } output { [2i64, 2i64] }
entry of_sum (x: i64) = match chosen case #fun f -> f x case #none -> [0, 0]
