-- Size coercions reach every size of a type: through modules, in sums, in records inside arrays.
module type sized = { val k: i64 type ks = [k]i64 val sum: ks -> i64 }
module two: sized = { def k = 2i64 type ks = [k]i64 def sum (xs: ks) = i64.sum xs }
module times (m: sized) (n: { val n: i64 }): sized = {
  def k = m.k * n.n
  type ks = [k]i64
  def sum (xs: ks) = 10 * i64.sum xs
}
module six = times two { def n = 3i64 }
-- ==
-- entry: through_modules
-- input { 2i64 6i64 } output { 1i64 150i64 }
-- input { 3i64 6i64 } error: cannot match shape of type "two.ks"
-- input { 2i64 5i64 } error: cannot match shape of type "six.ks"
entry through_modules (n: i64) (m: i64) = (two.sum (iota n :> two.ks), six.sum (iota m :> six.ks))

-- ==
-- entry: parameters_of_modules
-- input { [1i64,2i64] } output { [1i64,3i64] }
-- input { [1i64,2i64,3i64] } error: invalid sizes
entry parameters_of_modules (xs: [two.k]i64) = map2 (+) xs (iota two.k)

type opt [n] = #some ([n]i64) | #none
-- ==
-- entry: sums
-- input { true 2i64 } output { 5i64 }
-- input { true 3i64 } error: shape \[2\] cannot match
-- input { false 3i64 } output { -1i64 }
entry sums (c: bool) (n: i64) =
  let x = let ys = filter (> 0) (iota 3) in if c then #some ys else #none
  in match x :> opt [n]
     case #some ys -> i64.sum ys + length ys
     case #none -> -1

-- ==
-- entry: arrays_of_records
-- input { 2i64 3i64 } output { [3i64, 3i64] }
-- input { 3i64 3i64 } error: shape \[3\] cannot match
-- input { 2i64 4i64 } error: shape \[2\]\[4\] cannot match
entry arrays_of_records (n: i64) (m: i64) =
  map (\(a, b) -> a + b[2]) (replicate n (1i64, iota m) :> [2](i64, [3]i64))

-- ==
-- entry: arrays_of_sums
-- input { 2i64 } output { [1i64, 1i64] }
-- input { 3i64 } error: cannot match
entry arrays_of_sums (n: i64) =
  let xs = replicate n (#some (iota n): opt [n])
  in map (\x -> match x case #some y -> y[1] case #none -> 0) (xs :> [n](opt [2]))

module type bits = {
  type b [n]
  val width: i64
  val none: (n: i64) -> b [(n - 1) / width + 1]
  val size [n]: b [(n - 1) / width + 1] -> i64
}
module of (I: integral): bits = {
  def width = i64.i32 I.num_bits
  type b [n] = [n]I.t
  def none (n: i64): b [(n - 1) / width + 1] = replicate ((n - 1) / width + 1) (I.i64 1)
  def size [n] (s: b [(n - 1) / width + 1]): i64 = n * i64.sum (map I.to_i64 s)
}
module bytes = of u8
module words = of u32
-- ==
-- entry: sizes_of_abstract_types
-- input { 17i64 } output { 51i64 17i64 }
entry sizes_of_abstract_types (n: i64) = (bytes.size (bytes.none n), words.size (words.none n))

module type vector = { type~ v 't val rev 't: v t -> v t }
module both (P: vector) = { def two 'a 'b ((x, y): (P.v a, P.v b)) = (P.rev x, P.rev y) }
module of_arrays = both { type~ v 't = ?[k].[k]t def rev 't (xs: []t) = xs[::-1] }
-- ==
-- entry: lifted_parameters
-- input { 3i64 } output { [2i64,1i64,0i64] [1f64,0f64] }
entry lifted_parameters (n: i64) = of_arrays.two (iota n, map f64.i64 (iota (n - 1)))
