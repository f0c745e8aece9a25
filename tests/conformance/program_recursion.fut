-- Recursive functions with functions as arguments, also inside parallel operators (which no device runs).
-- ==
-- tags { no_opencl no_cuda }
-- entry: closures
-- input { [1i32,2i32,3i32] 2i32 } output { [7i32,8i32,9i32] 18i32 [6i32,7i32,8i32] }
def apply_n 'a (n: i32) (f: a -> a) (x: a): a = if n <= 0 then x else apply_n (n - 1) f (f x)
entry closures [n] (xs: [n]i32) (k: i32) =
  let s = i32.sum xs
  let shift ys = map (\y -> y + s / 2) ys
  let g = (\(a: i32) -> \(b: i32) -> a * b + s)
  in (apply_n k shift xs, apply_n k (g 1) s, map (apply_n 1 (+ 5)) xs)

def deep (n: i64) (xs: []i32): i32 = if n == 0 then i32.sum xs else deep (n - 1) (map (+ 1) xs)
-- ==
-- entry: recursion_in_map
-- input { [1i64,2i64] } output { [5i32,7i32] }
entry recursion_in_map (ns: []i64) = map (\n -> deep n [1, 2]) ns
