-- | Rings, and what follows from them.
module type ring = {
  type t
  val zero: t
  val one: t
  val +: t -> t -> t
  val *: t -> t -> t
  val neg: t -> t
}

-- | Any integral module is one.
module of_integral (I: integral): ring with t = I.t = {
  type t = I.t
  def zero = I.i32 0
  def one = I.i32 1
  def (+) = (I.+)
  def (*) = (I.*)
  def neg = I.neg
}
