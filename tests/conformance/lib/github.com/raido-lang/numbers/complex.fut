import "ring"
local import "../../raido-tools/util/fold"

module gaussian (R: ring): {
  include ring
  val mk: R.t -> R.t -> t
  val re: t -> R.t
  val im: t -> R.t
} = {
  type t = (R.t, R.t)
  def mk a b = (a, b)
  def re (a, _) = a
  def im (_, b) = b
  def zero = (R.zero, R.zero)
  def one = (R.one, R.zero)
  def (a, b) + (c, d) = R.((a + c, b + d))
  def neg (a, b) = R.((neg a, neg b))
  def (a, b) * (c, d) = R.((a * c + neg (b * d), a * d + b * c))
  def power (x: t) (n: i32) = times n (* x) one
}
