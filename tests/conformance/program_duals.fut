-- Automatic differentiation by dual numbers as a functor over numeric modules, compared with jvp.
module type num = {
  type t
  val num: f64 -> t
  val +: t -> t -> t
  val *: t -> t -> t
  val -: t -> t -> t
  val /: t -> t -> t
  val sin: t -> t
  val exp: t -> t
}

module base: num with t = f64 = {
  type t = f64
  def num (x: f64) = x
  def (+) = (f64.+)
  def (*) = (f64.*)
  def (-) = (f64.-)
  def (/) = (f64./)
  def sin = f64.sin
  def exp = f64.exp
}

module dual (N: num): num with t = (N.t, N.t) = {
  type t = (N.t, N.t)
  def num x = (N.num x, N.num 0)
  def (a, a') + (b, b') = N.((a + b, a' + b'))
  def (a, a') - (b, b') = N.((a - b, a' - b'))
  def (a, a') * (b, b') = N.((a * b, a' * b + a * b'))
  def (a, a') / (b, b') = N.((a / b, (a' * b - a * b') / (b * b)))
  def sin (a, a') = (N.sin a, N.(a' * (num 1 - sin a * sin a)))
  def exp (a, a') = N.(let e = exp a in (e, a' * e))
}

module f (N: num) = {
  def run (x: N.t) = N.(exp (x * x) / (num 1 + x * x) - num 2 * x)
}

module f0 = f base
module d1 = dual base
module d2 = dual d1
module f1 = f d1
module f2 = f d2

-- ==
-- entry: compare
-- input { 0.7 } output { -0.30448575841920866f64 -1.4956223021983739f64 1.9199236201457477f64 true true true }
-- input { -1.5 } output { 5.919303334264162f64 -8.063168463471722f64 19.122300538641586f64 true true true }
entry compare (x: f64) =
  let (v, d) = f1.run (x, 1)
  let ((_, _), (_, dd)) = f2.run ((x, 1), (1, 0))
  in (v, d, dd, f0.run x == v, f64.abs (jvp f0.run x 1 - d) < 1e-12,
      f64.abs (jvp (\x -> jvp f0.run x 1) x 1 - dd) < 1e-9)
