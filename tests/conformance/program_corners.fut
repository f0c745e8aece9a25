-- Corners: constants, sums of sums, closures through recursion and loops, functors over functors, unit, zipped branches.
def table: [4]i32 = map (\i -> i32.i64 (i * i)) (iota 4)
def total = i32.sum table
def pairs = zip table (reverse table)
def none 'a : [0]a = []
-- ==
-- entry: constants
-- input { 1i64 } output { 1i32 14i32 [0i32,1i32,4i32,9i32] 4i32 0i64 }
entry constants (i: i64) = (table[i], total, copy table, pairs[i].1, length (none: [0]f64))

type expr = #lit i32 | #pair (i32, i32) | #opt (#none | #some [2]i32)
def value (e: expr): i32 =
  match e
  case #lit x -> x
  case #pair (a, b) -> a * b
  case #opt #none -> -1
  case #opt (#some xs) -> xs[0] - xs[1]
-- ==
-- entry: sums
-- input { 5i32 } output { 5i32 30i32 -1i32 -1i32 [5i32, 30i32, -1i32] }
entry sums (x: i32) =
  let e k : expr = if k == 0i64 then #lit x else if k == 1 then #pair (x, x + 1) else #opt #none
  in (value (#lit x), value (#pair (x, x + 1)), value (#opt (#none)), value (#opt (#some [x, x + 1])), map (\k -> value (e k)) (iota 3))

module type ring = { type t val add: t -> t -> t val mul: t -> t -> t val zero: t val one: t }
module pair_ring (R: ring) : ring with t = (R.t, R.t) = {
  type t = (R.t, R.t)
  def add (a: t) (b: t): t = (R.add a.0 b.0, R.add a.1 b.1)
  def mul (a: t) (b: t): t = (R.mul a.0 b.0, R.mul a.1 b.1)
  def zero: t = (R.zero, R.zero)
  def one: t = (R.one, R.one)
}
module int_ring = { type t = i32 def add = (i32.+) def mul = (i32.*) def zero = 0i32 def one = 1i32 }
module poly (R: ring) = {
  def eval [n] (cs: [n]R.t) (x: R.t): R.t = foldr (\c acc -> R.add c (R.mul acc x)) R.zero cs
  def power (x: R.t) (n: i32): R.t = loop acc = R.one for _i < n do R.mul acc x
}
module pp = poly (pair_ring (pair_ring int_ring))
module pi = poly int_ring
-- ==
-- entry: functors
-- input { [1i32,2i32,3i32] 2i32 } output { 17i32 16i32 81i32 }
entry functors [n] (cs: [n]i32) (x: i32) =
  let ((_, b), (c, _)) = pp.power ((1, 2), (3, 4)) 4
  in (pi.eval cs x, b, c)

-- ==
-- entry: branches
-- input { true [1i32,2i32] [3.0,4.0] } output { [1i32,0i32] [3.0,9.0] [1i32,2i32] }
-- input { false [1i32,2i32] [3.0,4.0] } output { [2i32,0i32] [4.0,9.0] [1i32,2i32] }
entry branches [n] (c: bool) (xs: [n]i32) (ys: [n]f64) =
  let zs = if c then zip xs ys else zip (reverse xs) (reverse ys)
  let zs = zs with [n - 1] = (0, 9)
  let (a, b) = unzip zs
  in (a, b, xs)

-- ==
-- entry: units
-- input { 3i64 } output { 3i64 2i32 }
entry units (n: i64) = let us = replicate n () in (length us, (\() -> 2i32) ())

-- ==
-- entry: loop_over_records
-- input { 4i64 } output { [0i64,1i64,2i64,3i64] 6i64 }
entry loop_over_records (n: i64) =
  let r = loop r = {xs = replicate n 0, sum = 0} for i < n do
            {sum = r.sum + i, xs = r.xs with [i] = i}
  in (r.xs, r.sum)

-- ==
-- entry: loop_over_sums
-- input { 3i32 } output { 3i32 }
-- input { 0i32 } output { -1i32 }
entry loop_over_sums (n: i32) =
  let s = loop (s: #none | #some i32) = #none for i < n do
            match s case #none -> #some (i + 1) case #some k -> #some (k + 1)
  in match s case #none -> -1 case #some k -> k

-- ==
-- entry: matrices
-- input { [[1i32,2i32],[3i32,4i32]] } output { [[2i32,3i32],[4i32,5i32]] [3i32,7i32] [[1i32,3i32],[2i32,4i32]] [[[1i32,2i32],[1i32,2i32]],[[3i32,4i32],[3i32,4i32]]] }
entry matrices [n][m] (a: [n][m]i32) =
  (map (map (+ 1)) a, map i32.sum a, map (\j -> map (\r -> r[j]) a) (iota m), map (replicate 2) a)

module strange = { def (+) (a: i32) (b: i32) = (a i32.* b) i32.* (-1) def k = 5i32 }
-- ==
-- entry: operators_in_modules
-- input { 3i32 4i32 } output { 7i32 -12i32 25i32 }
entry operators_in_modules (x: i32) (y: i32) = (x + y, strange.(x + y), let k = strange.k in k * k)

-- ==
-- entry: while_array
-- input { [1i32,5i32,3i32] } output { [5i32,3i32] }
entry while_array (xs: []i32) = loop ys = xs while length ys > 0 && ys[0] < 4 do drop 1 ys

-- ==
-- entry: scan_of_arrays
-- input { [[1i32,2i32],[3i32,4i32],[5i32,6i32]] } output { [[1i32,2i32],[3i32,8i32],[15i32,48i32]] }
entry scan_of_arrays [n] (a: [n][2]i32) = scan (map2 (*)) [1, 1] a

-- ==
-- entry: matrix_power
-- input { 10i32 } output { [[89i64,55i64],[55i64,34i64]] }
entry matrix_power (n: i32) =
  let mul (a: [2][2]i64) (b: [2][2]i64): [2][2]i64 = map (\r -> map (\c -> i64.sum (map2 (*) r c)) (transpose b)) a
  in reduce mul [[1, 0], [0, 1]] (replicate (i64.i32 n) [[1, 1], [1, 0]])
