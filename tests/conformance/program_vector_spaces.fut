-- Vector spaces by functors: lines, planes, spaces, functions into them; one generic integrator.
module type vspace = {
  type scalar
  type vec
  val zero: vec
  val add: vec -> vec -> vec
  val mul: scalar -> vec -> vec
}

module line (T: real): (vspace with scalar = T.t with vec = T.t) = {
  type scalar = T.t
  type vec = T.t
  def zero = T.i32 0
  def add = (T.+)
  def mul = (T.*)
}

module prod (A: vspace) (B: vspace with scalar = A.scalar):
  (vspace with scalar = A.scalar with vec = (A.vec, B.vec)) = {
  type scalar = A.scalar
  type vec = (A.vec, B.vec)
  def zero = (A.zero, B.zero)
  def add (a, b) (c, d) = (A.add a c, B.add b d)
  def mul k (a, b) = (A.mul k a, B.mul k b)
}

module rk4 (V: vspace with scalar = f64) = {
  open V

  def step (h: f64) (f: f64 -> vec -> vec) (t: f64) (y: vec): vec =
    let k1 = f t y
    let k2 = f (t + h / 2) (y `add` mul (h / 2) k1)
    let k3 = f (t + h / 2) (y `add` mul (h / 2) k2)
    let k4 = f (t + h) (y `add` mul h k3)
    in y `add` mul (h / 6) (k1 `add` mul 2 k2 `add` mul 2 k3 `add` k4)

  def solve (n: i64) (h: f64) f y0 = loop y = y0 for i < n do step h f (f64.i64 i * h) y
}

module l = line f64
module plane = prod l l
module phase = prod plane plane
module s = rk4 plane
module p = rk4 phase
-- ==
-- entry: pendulum
-- input { 20i64 0.05 } output { 0.27769879258702423f64 -0.410137250581081f64 }
entry pendulum (n: i64) (h: f64) = s.solve n h (\_ (a, w) -> (w, -(f64.sin a))) (0.5, 0)

-- ==
-- entry: two_bodies
-- input { 10i64 0.1 }
-- output { 0.5403021413022914f64 0.8414701185885097f64 -0.8414721374954921f64 0.5403017667086002f64 0.0f64 }
entry two_bodies (n: i64) (h: f64) =
  let f _ ((x, v): phase.vec) =
    let r = f64.hypot x.0 x.1
    in (v, plane.mul (-1 / r ** 3) x)
  let ((x, y), (u, v)) = p.solve n h f ((1, 0), (0, 1))
  in (x, y, u, v, plane.zero.0)
