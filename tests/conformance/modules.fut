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
