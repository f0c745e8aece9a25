-- Higher-order functions, closures, partial application, polymorphism, local functions, sections.
def twice 'a (f: a -> a) (x: a): a = f (f x)
def compose 'a 'b 'c (f: a -> b) (g: b -> c): a -> c = \x -> g (f x)
-- ==
-- entry: higher_order
-- input { 3i32 } output { 12i32 16i32 5i32 9.0 }
entry higher_order (x: i32) =
  (twice (* 2) x, compose (+ 1) (* 4) x, twice (\y -> y + 1) x, compose f64.i32 (** 2) x)

-- ==
-- entry: captured
-- input { 10i32 [1i32,2i32] } output { [11i32,12i32] [20i32,20i32] }
entry captured (k: i32) (xs: []i32) =
  let add y = y + k
  let always 'a (_: a) = 2 * k
  in (map add xs, map always xs)

-- ==
-- entry: partial
-- input { 2i32 } output { 9i32 7i32 }
def three (a: i32) (b: i32) (c: i32) = a + 2 * b + c
entry partial (x: i32) = let f = three 1 let g = f x in (g 4, three 1 2 x)

type^ ops = {apply: i32 -> i32, name: i32}
-- ==
-- entry: in_records
-- input { 5i32 } output { 15i32 1i32 }
entry in_records (x: i32) = let o: ops = {apply = \y -> y * 3, name = 1} in (o.apply x, o.name)

-- ==
-- entry: of_tuples
-- input { 1i32 2i32 } output { 2i32 1i32 }
def swap 'a 'b ((x, y): (a, b)): (b, a) = (y, x)
entry of_tuples (x: i32) (y: i32) = swap (x, y)

-- ==
-- entry: access
-- input { [1i32,2i32] } output { [1i32,2i32] 2i32 3i32 }
entry access (xs: []i32) = (map (.a) (map (\x -> {a = x}) xs), (.[1]) xs, (.b.c) {b = {c = 3}})

-- ==
-- entry: local_size
-- input { [1i32,2i32,3i32] } output { 3i64 6i32 }
entry local_size (xs: []i32) =
  let size [n] (_: [n]i32) = n
  let [m] (ys: [m]i32) = xs
  in (size xs, i32.sum (map (\i -> ys[i]) (iota m)))

-- Recursive functions become functions of the core.
def fact (n: i64): i64 = if n <= 1 then 1 else n * fact (n - 1)
def gcd (a: i32) (b: i32): i32 = if b == 0 then a else gcd b (a % b)
def power (f: i32 -> i32) (n: i32) (x: i32): i32 = if n == 0 then x else power f (n - 1) (f x)
-- ==
-- entry: recursive
-- input { 6i64 48i32 36i32 } output { 720i64 12i32 58i32 }
entry recursive (n: i64) (a: i32) (b: i32) = (fact n, gcd a b, power (+ 10) 1 a)

-- ==
-- entry: recursive_arrays
-- input { [1i32,2i32,3i32,4i32] } output { 10i32 }
def total [n] (xs: [n]i32): i32 = if n == 0 then 0 else xs[0] + total xs[1:]
entry recursive_arrays (xs: []i32) = total xs

-- ==
-- entry: pipes
-- input { [3i32,4i32] } output { 14i32 [6i32,8i32] }
entry pipes (xs: []i32) = (xs |> map (* 2) |> reduce (+) 0, map (+ 0) <| map (* 2) xs)

-- ==
-- entry: shadowing
-- input { 1i32 } output { 3i32 }
entry shadowing (x: i32) = let x = x + 1 let x = x + 1 in x

-- ==
-- entry: f' f_
-- input { 1i32 } output { 3i32 }
entry f' (x: i32) = x + 2
entry f_ (x: i32) = 2 * x + 1

-- What one branch binds does not concern a function that the other calls often.
-- ==
-- entry: often_in_branches
-- input { 2i64 1i64 } output { 969i64 }
-- input { 2i64 2i64 } output { 7i64 }
-- input { 0i64 3i64 } output { 0i64 }
entry often_in_branches (x: i64) (k: i64) =
  let g (y: i64) = (y * x + 1) % 1000
  let t (y: i64) = g (g (g (g (g (g y)))))
  in if (let a = k * 2 in a > 4) && (let b = x + 1 in t b > 0) then let a = x * 3 let b = a + 1 in a * b
     else match k case 2 -> let d = x + 1 let e = d * 2 in d + e - x case m -> let r = t (t (t (t (t (t (t (t (t m)))))))) in r + x
