-- Recursive functions with functions as arguments, also inside parallel operators (which no device runs).
-- ==
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

-- Results whose sizes are declared open: each call has its own, where they are not the same for all calls.
def quicksort [n] 't (lt: t -> t -> bool) (xs: [n]t): []t =
  if n < 2 then xs
  else let (a, b) = partition (\x -> x `lt` xs[0]) xs[1:]
       in quicksort lt a ++ [xs[0]] ++ quicksort lt b
def add_times [n] (k: i64) (xs: [n]i64): []i64 = if k == 0 then xs else add_times (k - 1) (map (+ 1) xs)
def with_lengths [n] (k: i64) (xs: [n]i64): ([]i64, []bool) =
  if k == 0 then (xs, map (> 2) xs)
  else let (a, b) = with_lengths (k - 1) (xs ++ [k]) in (a ++ [length b], b)
-- ==
-- entry: open_results
-- input { [3i64,1i64,2i64] }
-- output { [1i64,2i64,3i64] [3i64,2i64,1i64] [18i64,4i64,10i64] [3i64,1i64,2i64,2i64,1i64,5i64,5i64] [true,false,false,false,false] }
-- input { empty([0]i64) }
-- output { empty([0]i64) empty([0]i64) empty([0]i64) [2i64,1i64,2i64,2i64] [false,false] }
entry open_results (xs: []i64) =
  let (a, b) = with_lengths 2 xs
  in (quicksort (<) xs, quicksort (>) xs, map2 (*) xs (add_times 3 xs), a, b)

-- Arguments that share memory with what they were made of, consumed in part, or not at all.
def fill [n] (k: i32) ((a, j): (*[n]i32, i32)): *[n]i32 = if k == 0 then a else fill (k - 1) (a with [k] = k * j, j)
type node = {key: i32, left: i64, right: i64}
def depth [n] (t: [n]node) (i: i64): i32 = if i < 0 then 0 else 1 + i32.max (depth t t[i].left) (depth t t[i].right)
def same [n] (k: i32) (xs: [n]i32): [n]i32 = if k == 0 then xs else same (k - 1) xs
-- ==
-- entry: shared
-- input { [1i32, 2i32, 3i32] } output { [1i32, 7i32, 14i32] [1i32, 7i32, 3i32] [9i32, 2i32, 3i32] [1i32, 2i32, 3i32] }
entry shared [n] (xs: [n]i32) =
  let ys = map (.0) (zip xs xs)
  let zs = map (.0) (zip xs xs) |> same 1
  let zs[0] = 9
  in (fill 2 (copy ys, 7), fill 1 (ys, 7), zs, xs)
-- ==
-- entry: depths
-- input { [4i32, 2i32, 6i32, 1i32] [1i64, 3i64, -1i64, -1i64] [2i64, -1i64, -1i64, -1i64] } output { [3i32, 2i32, 1i32, 1i32] }
entry depths [n] (keys: [n]i32) (lefts: [n]i64) (rights: [n]i64) =
  map (depth (map3 (\key left right -> {key, left, right}) keys lefts rights)) (iota n)

-- Without a declared result, and with anonymous sizes of parameters: each call has sizes of its own.
def sum_down [n] (xs: [n]i32) = if n == 0 then 0 else xs[0] + sum_down (drop 1 xs)
def sum_halves (xs: []i32): i32 =
  let n = length xs
  in if n == 0 then 0 else if n == 1 then xs[0] else sum_halves (take (n / 2) xs) + sum_halves (drop (n / 2) xs)
def grow_to (k: i64) (xs: []i32): []i32 = if length xs >= k then xs else grow_to k (xs ++ xs)
def same_size [n] (k: i32) (xs: [n]i32) = if k == 0 then xs else same_size (k - 1) (map (* 2) xs)
-- ==
-- entry: own_sizes
-- input { [1i32,2i32,3i32] } output { 6i32 6i32 [1i32,2i32,3i32,1i32,2i32,3i32] [5i32,10i32,15i32] }
entry own_sizes (xs: []i32) = (sum_down xs, sum_halves xs, grow_to 5 xs, map2 (+) xs (same_size 2 xs))
