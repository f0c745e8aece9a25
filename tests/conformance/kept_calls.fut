-- Functions that stay functions: recursive ones, and those with #[noinline], for any type.
def alternating 'a (n: i32) (x: a) (y: a): (a, a) = if n == 0 then (y, x) else alternating (n - 1) y x
#[noinline] def swapped 'a (c: bool) (x: a) (y: a): (a, a) = if c then (y, x) else (x, y)
#[noinline] def each 'a 'b [n] (f: a -> b) (xs: [n]a): [n]b = map f xs
#[noinline] def bumped [n] (xs: *[n]i64) (i: i64): *[n]i64 = xs with [i % n] = xs[(i + 1) % n] + 1

-- ==
-- entry: recursive called
-- input { [1i64, 2i64] 3i32 } output { [1i64, 2i64] [2i64, 3i64] }
-- input { [1i64, 2i64] 2i32 } output { [2i64, 3i64] [1i64, 2i64] }
entry recursive (xs: []i64) (n: i32) = alternating n xs (map (+ 1) xs)
entry called (xs: []i64) (n: i32) = swapped (n % 2 == 0) xs (map (+ 1) xs)

-- ==
-- entry: of_rows
-- input { [[1i64, 2i64], [3i64, 4i64]] } output { [[3i64, 2i64], [5i64, 4i64]] [3i64, 7i64] }
-- input { empty([0][2]i64) } output { empty([0][2]i64) empty([0]i64) }
entry of_rows [n] [m] (xss: [n][m]i64) =
  (each (\xs -> #[noinline] bumped (copy xs) 0) xss |> each (map (\x -> x - 1)) |> each (map (+ 1)),
   each (\xs -> (#[noinline] reduce (+) 0 xs)) xss)

-- ==
-- entry: derivative
-- input { [0.5, 2.0] } output { [1.0, 4.0] [1.0, 4.0] }
entry derivative [n] (xs: [n]f64) =
  let f (xs: [n]f64) = f64.sum (#[noinline] each (\x -> x * x) xs)
  in (vjp f xs 1, map (\i -> jvp f xs (tabulate n (\j -> if i == j then 1 else 0))) (iota n))
