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
