-- Assertions and holes around functions: the check is part of each use of the function, however it gets there.
def app 'a 'b (f: a -> b) (x: a) = f x
def count (f: i32 -> i32) (n: i32): i32 = if n == 0 then 0 else f n + count f (n - 1)
def last (f: i32 -> i32) (n: i32): i32 = if n <= 0 then n else last f (n - 1)
def adder (n: i32) = assert (n > 0) (\y -> y + n)
type^ op = #add (i32 -> i32) | #stop
module type has_function = { val f : i32 -> i32 }
module twice (m: has_function) = { def f x = m.f (m.f x) }

-- ==
-- entry: operand
-- input { 3i32 } output { 4i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry operand (x: i32): i32 = let f = assert (x > 0) (+ x) in f 1

-- ==
-- entry: identity
-- input { 3i32 } output { 1i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry identity (x: i32): i32 = let f = assert (x > 0) (\y -> y) in f 1i32

-- ==
-- entry: in_record
-- input { 3i32 } output { 3i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry in_record (x: i32): i32 = let r = assert (x > 0) {f = \(y: i32) -> y + 1, n = 3i32} in r.f 2

-- ==
-- entry: in_tuple
-- input { 3i32 } output { 2i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry in_tuple (x: i32): i32 = let (f, _) = assert (x > 0) (\(y: i32) -> y, 3i32) in f 2

-- ==
-- entry: in_sum
-- input { 3i32 } output { 5i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry in_sum (x: i32): i32 = match assert (x > 0) (#add (+ x): op) case #add f -> f 2 case #stop -> 0

-- ==
-- entry: of_one_argument
-- input { 3i32 } output { -1i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry of_one_argument (x: i32): i32 = let g = (assert (x > 0) (\y z -> y - z: i32)) 1 in g 2

-- ==
-- entry: partial
-- input { 3i32 } output { -1i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry partial (x: i32): i32 = let g = assert (x > 0) ((\y z -> y - z: i32) 1) in g 2

-- ==
-- entry: section
-- input { 3i32 } output { 4i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry section (x: i32): i32 = let g = (assert (x > 0) (-)) 7 in g x

-- ==
-- entry: projection
-- input { 3i32 } output { 3i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry projection (x: i32): i32 = (assert (x > 0) (.n)) {n = x}

-- ==
-- entry: prelude
-- input { 3i32 } output { 3i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry prelude (x: i32): i32 = (assert (x > 0) i32.max) 1 x

-- ==
-- entry: higher_order
-- input { 3i32 } output { 4i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry higher_order (x: i32): i32 = (assert (x > 0) app) (+ 1) x

-- ==
-- entry: twice_checked
-- input { 3i32 } output { 4i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry twice_checked (x: i32): i32 = (assert (x < 9) (assert (x > 0) (+ x))) 1

-- ==
-- entry: composed
-- input { 3i32 } output { 4i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry composed (x: i32): i32 = (assert (x > 0) (\y -> y) >-> (+ 1)) x

-- ==
-- entry: in_map
-- input { 3i32 } output { 9i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry in_map (x: i32): i32 = i32.sum (map (assert (x > 0) (+ x)) [1, 2])

-- ==
-- entry: in_reduce
-- input { 3i32 } output { 4i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry in_reduce (x: i32): i32 = reduce (assert (x > 0) (+)) 0 [1, x]

-- ==
-- entry: in_scan
-- input { 3i32 } output { 4i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry in_scan (x: i32): i32 = (scan (assert (x > 0) (+)) 0 [1, x])[1]

-- ==
-- entry: in_histogram
-- input { 3i32 } output { 4i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry in_histogram (x: i32): i32 = (hist (assert (x > 0) (+)) 0 2 [1, 1] [1, x])[1]

-- ==
-- entry: in_loop
-- input { 3i32 } output { 8i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry in_loop (x: i32): i32 = let f = assert (x > 0) (* 2) in loop y = 1 for _i < 3 do f y

-- ==
-- entry: in_branch
-- input { 3i32 } output { 4i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry in_branch (x: i32): i32 = let f = assert (x > 0) (+ 1) in if x < 9 then f x else 0

-- ==
-- entry: of_recursion
-- input { 3i32 } output { 6i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry of_recursion (x: i32): i32 = count (assert (x > 0) (\y -> y)) 3

-- ==
-- entry: of_recursion_that_returns_its_argument
-- input { 3i32 } output { 0i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry of_recursion_that_returns_its_argument (x: i32): i32 = last (assert (x > 0) (\y -> y)) 0

-- ==
-- entry: of_result
-- input { 3i32 } output { 7i32 }
-- input { 0i32 } error: Assertion is false: \(n > 0\)
entry of_result (x: i32): i32 = adder x 4

-- ==
-- entry: of_local_function
-- input { 3i32 } output { 3i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry of_local_function (x: i32): i32 = let f (y: i32) = assert (x > 0) (\z -> y + z) in f 1 2

-- ==
-- entry: under_attributes
-- input { 3i32 } output { 4i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry under_attributes (x: i32): i32 = (#[trace(function)] #[opaque] (assert (x > 0) (+ x))) 1

-- ==
-- entry: under_type
-- input { 3i32 } output { 4i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry under_type (x: i32): i32 = (assert (x > 0) (+ x) : i32 -> i32) 1

-- ==
-- entry: differentiated
-- input { 3i32 } output { 6i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry differentiated (x: i32): i32 = vjp (assert (x > 0) (\y -> y * y)) 3 1

-- ==
-- entry: of_each_element
-- input { 4i32 } output { [1i32, 2i32, 3i32] }
-- input { 2i32 } error: Assertion is false: \(y < x\)
entry of_each_element (x: i32) = map (\y -> (assert (y < x) (\z -> z)) y) [1, 2, 3]

-- ==
-- entry: of_functor
-- input { 3i32 } output { 5i32 }
-- input { 2i32 } error: Assertion is false: \(y < 5\)
module increment = twice { def f = \(y: i32) -> assert (y < 5) (y + 1) }
entry of_functor (x: i32) = if x > 2 then increment.f x else increment.f (x + 2)

-- A function that is called so often that it stays one.
-- ==
-- entry: called_often
-- input { 3i32 } output { 68i32 }
-- input { 0i32 } error: Assertion is false: \(x > 0\)
entry called_often (x: i32) =
  let f = assert (x > 0) (\y -> y)
  let g (y: i32) = f y + f 0
  let h (y: i32) = g (g (g (g (g (g y)))))
  let k (y: i32) = h (h (h (h y)))
  in k (k (k x)) + 65

-- ==
-- entry: hole
-- input { 3i64 } error: Reached hole of type
entry hole (x: i64): i64 = ??? x x

-- ==
-- entry: hole_in_map
-- input { 3i64 } error: Reached hole of type
entry hole_in_map (x: i64): i64 = map ??? (iota x) |> i64.sum

-- ==
-- entry: hole_in_sum
-- input { 3i64 } error: Reached hole of type
entry hole_in_sum (x: i64): i64 = match (???: op) case #add f -> i64.i32 (f 1) case #stop -> x

-- ==
-- entry: hole_in_record
-- input { 3i64 } error: Reached hole of type
entry hole_in_record (x: i64): i64 = let r: {f: i64 -> i64, n: i64, a: [x]i64} = ??? in r.f r.n + r.a[0]

-- ==
-- entry: hole_in_reduce
-- input { 3i64 } error: Reached hole of type
entry hole_in_reduce (x: i64): i64 = reduce ??? x (iota x)

-- ==
-- entry: hole_that_takes_functions
-- input { 3i64 } error: Reached hole of type
entry hole_that_takes_functions (x: i64): i64 = (??? : (i64 -> i64) -> i64) (\y -> y + x)

-- ==
-- entry: hole_that_returns_functions
-- input { 3i64 } error: Reached hole of type
entry hole_that_returns_functions (x: i64): i64 = (??? : i64 -> (i64, i64 -> i64)) x |> \(a, f) -> f a

-- ==
-- entry: hole_of_one_argument
-- input { 3i64 } error: Reached hole of type
entry hole_of_one_argument (x: i64): i64 = let f = ??? 3i32 in f x

-- ==
-- entry: hole_of_sized_result
-- input { 3i64 } error: Reached hole of type
entry hole_of_sized_result (x: i64): i64 = let f: (n: i64) -> [n]i64 = ??? in (f x)[0]
