-- Modules, module types, functors, open, local open, abstract types.
module type monoid = {
  type t
  val zero: t
  val plus: t -> t -> t
}
module sum_i32 = { type t = i32 def zero = 0i32 def plus (a: t) (b: t): t = a + b }
module max_f64: monoid with t = f64 = { type t = f64 def zero = -f64.inf def plus = f64.max }
module fold (M: monoid) = {
  def fold [n] (xs: [n]M.t): M.t = reduce M.plus M.zero xs
  def pairs [n] (xs: [n]M.t): [n]M.t = map (\x -> M.plus x x) xs
}
module fold_sum = fold sum_i32
module fold_max = fold max_f64
-- ==
-- entry: functors
-- input { [1i32,2i32] [1.0,5.0,2.0] } output { 3i32 5.0 [2i32,4i32] }
entry functors (xs: []i32) (ys: []f64) = (fold_sum.fold xs, fold_max.fold ys, fold_sum.pairs xs)

module type counter = { type t val new: i32 -> t val step: t -> t val get: t -> i32 }
module counter: counter = {
  type t = {n: i32, steps: i32}
  def new (n: i32): t = {n, steps = 0}
  def step (c: t): t = {n = c.n * 2, steps = c.steps + 1}
  def get (c: t): i32 = c.n + 100 * c.steps
}
-- ==
-- entry: abstract
-- input { 3i32 } output { 212i32 }
entry abstract (x: i32) = counter.get (counter.step (counter.step (counter.new x)))

module outer = {
  def k = 7i32
  module inner = { def f (x: i32) = x + k }
  local def hidden = 1i32
  def shown = hidden + 1
}
-- ==
-- entry: nested
-- input { 1i32 } output { 8i32 2i32 9i32 }
entry nested (x: i32) = (outer.inner.f x, outer.shown, outer.inner.(f (x + 1)))

open outer
-- ==
-- entry: opened
-- input { } output { 7i32 }
entry opened = k

module mk_vector (T: { type t val +: t -> t -> t val *: t -> t -> t val zero: t }) = {
  type vector [n] = [n]T.t
  def dot [n] (a: vector [n]) (b: vector [n]): T.t = reduce (T.+) T.zero (map2 (T.*) a b)
}
module vector_f64 = mk_vector { open f64 def zero = 0f64 }
-- ==
-- entry: with_operators
-- input { [1.0,2.0] [3.0,4.0] } output { 11.0 }
entry with_operators [n] (a: [n]f64) (b: [n]f64) = vector_f64.dot a b

-- An abstract type with a size of its own: each value has another one.
module row: { type~ row val of [k]: [k]i64 -> row val next: row -> []i64 } = {
  type~ row = []i64
  def of (x: []i64): row = x
  def next (x: row): []i64 = map (+ 1) x
}

-- ==
-- entry: own_sizes
-- input { 4i64 false } output { [0i64,0i64,2i64,5i64] }
-- input { 2i64 true } output { [1i64,1i64] }
entry own_sizes (n: i64) (b: bool) =
  let sums = map (\i -> i64.sum (row.next (row.of (filter (> 0) (iota i))))) (iota n)
  let some = if b then #some (row.of sums) else (#none : (#some row.row | #none))
  in match some
     case #some x -> row.next x
     case #none -> sums

-- Sizes that are constants of modules: each application of a functor has its own.
module type block = { val k: i64 type block = [k]i64 val filled: i64 -> block }
module of_size (S: { val size: i64 }): block = {
  def k = S.size
  type block = [k]i64
  def filled (x: i64): block = replicate k x
}
module two = of_size { def size = 2i64 }
module three = of_size { def size = 3i64 }
-- ==
-- entry: cut
-- input { 2i64 } output { [0i64,1i64] [2i64,2i64] }
-- input { 3i64 } error: cannot match shape
entry cut (n: i64) = (iota n :> two.block, map2 (+) (two.filled 1) (two.filled 1))
-- ==
-- entry: sums
-- input { [1i64,2i64,3i64] } output { [2i64,3i64,4i64] }
-- input { [1i64,2i64] } error: invalid sizes
entry sums (xs: []i64) = map2 (+) xs (three.filled 1)

-- An abstract type whose size is an expression; a functor over a type with a parameter and sizes of its own.
module type words = {
  type words [n]
  val none: (n: i64) -> words [(n - 1) / 8 + 1]
  val bits [n]: words [(n - 1) / 8 + 1] -> i64
}
module words: words = {
  type words [n] = [n]u8
  def none (n: i64): words [(n - 1) / 8 + 1] = replicate ((n - 1) / 8 + 1) 0
  def bits [n] (w: words [(n - 1) / 8 + 1]): i64 = n + 8 * length w
}
module pairs (L: { type~ list 't val reversed 't: list t -> list t }) = {
  def both 'a 'b ((x, y): (L.list a, L.list b)) = (L.reversed x, L.reversed y)
}
module lists = pairs { type~ list 't = ?[n].[n]t def reversed 't (x: []t) = x[::-1] }
-- ==
-- entry: sizes_in_types
-- input { 9i64 } output { 25i64 }
entry sizes_in_types (n: i64) = words.bits (words.none n)
-- ==
-- entry: lists_of_both
-- input { 2i64 } output { [1i64,0i64] [false,true] }
entry lists_of_both (n: i64) = lists.both (iota n, map (== 0) (iota n))

-- A loop over an abstract type with a size, of which nobody knows how large it becomes.
module split: {
  type~ split [n]
  val of [n]: [n]i64 -> ?[k].split [k]
  val joined [n]: split [n] -> []i64
} = {
  type~ split [n] = ([n]i64, []i64)
  def of [n] (xs: [n]i64): split [n] = (xs, filter (> 1) xs)
  def joined [n] (s: split [n]): []i64 = s.0 ++ s.1
}
-- ==
-- entry: abstract_states
-- input { [1i64,2i64] } output { [1i64,2i64,2i64,2i64,2i64,2i64,2i64,2i64,2i64] }
entry abstract_states (xs: []i64) =
  split.joined (loop s = split.of xs for _i < 2i64 do split.of (split.joined s))

-- The argument's constant is the size of what the functor makes.
module counted (X: { val k: i64 }) = { def all = iota X.k }
module five = counted { def k = 5i64 }
-- ==
-- entry: size_of_argument
-- input { [1i64,1i64,1i64,1i64,1i64] } output { [1i64,2i64,3i64,4i64,5i64] }
-- input { [1i64] } error: invalid sizes
entry size_of_argument (xs: []i64) = map2 (+) xs five.all
