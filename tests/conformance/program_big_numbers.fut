-- Big natural numbers as pairs of halves, functors nested to 128 and 256 bits.
module type word = {
  type t
  val zero: t
  val of_u32: u32 -> t
  val add: t -> t -> (t, bool)
  val mul: t -> t -> (t, t)
  val less: t -> t -> bool
  val limbs: t -> []u32
}

module w32: word with t = u32 = {
  type t = u32
  def zero = 0u32
  def of_u32 x = x
  def add (a: u32) b = let s = a + b in (s, s < a)
  def mul a b = let p = u64.u32 a * u64.u32 b in (u32.u64 (p >> 32), u32.u64 p)
  def less = (<) : u32 -> u32 -> bool
  def limbs x = [x]
}

module pair (W: word): word = {
  type t = {hi: W.t, lo: W.t}
  def zero: t = {hi = W.zero, lo = W.zero}
  def of_u32 x = zero with lo = W.of_u32 x
  def carry (c: bool) (x: W.t) = if c then W.add x (W.of_u32 1) else (x, false)

  def add (a: t) (b: t): (t, bool) =
    let (lo, c) = W.add a.lo b.lo
    let (h, c1) = W.add a.hi b.hi
    let (hi, c2) = carry c h
    in ({hi, lo}, c1 || c2)

  def less (a: t) (b: t) = W.less a.hi b.hi || (!(W.less b.hi a.hi) && W.less a.lo b.lo)

  def mul (a: t) (b: t): (t, t) =
    let (h0, l0) = W.mul a.lo b.lo
    let (h1, l1) = W.mul a.lo b.hi
    let (h2, l2) = W.mul a.hi b.lo
    let (h3, l3) = W.mul a.hi b.hi
    let (s1, c1) = W.add h0 l1
    let (s1, c2) = W.add s1 l2
    let (s2, c3) = W.add h1 h2
    let (s2, c4) = W.add s2 l3
    let (s2, c5) = carry c1 s2
    let (s2, c6) = carry c2 s2
    let (s3, _) = carry c3 h3
    let (s3, _) = carry c4 s3
    let (s3, _) = carry c5 s3
    let (s3, _) = carry c6 s3
    in ({hi = s3, lo = s2}, {hi = s1, lo = l0})

  def limbs (x: t) = W.limbs x.lo ++ W.limbs x.hi
}

module w64 = pair w32
module w128 = pair w64
module w256 = pair w128

module facts (W: word) = {
  def fact (n: u32) =
    loop x = W.of_u32 1 for i < i32.u32 n do (W.mul x (W.of_u32 (u32.i32 i + 1))).1

  def fib (n: i32) = (loop (a, b) = (W.zero, W.of_u32 1) for _i < n do (b, (W.add a b).0)).0
}

module f64s = facts w64
module f256 = facts w256

-- ==
-- entry: big
-- input { 20u32 }
-- output { [2192834560u32, 566454140u32] [2192834560u32, 566454140u32, 0u32, 0u32, 0u32, 0u32, 0u32, 0u32] [3314859971u32,
--   870020775u32, 19u32, 0u32, 0u32, 0u32, 0u32, 0u32] }
-- input { 40u32 }
-- output { [0u32, 4278527296u32] [0u32, 4278527296u32, 135257700u32, 2227696254u32, 2397759515u32, 0u32, 0u32, 0u32]
--   [3742884757u32, 4033334147u32, 2930801934u32, 2253020188u32, 824u32, 0u32, 0u32, 0u32] }
entry big n =
  (w64.limbs (f64s.fact n), w256.limbs (f256.fact n), w256.limbs (f256.fib (i32.u32 n * 5)))

-- ==
-- entry: compare
-- input { 30u32 31u32 } output { true false false }
entry compare a b =
  (w256.less (f256.fact a) (f256.fact b), w256.less (f256.fact b) (f256.fact a),
   (w128.add w128.zero w128.zero).1)
