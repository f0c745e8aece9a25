-- Bodies in space, with records, modules and loops.
module type vector = { type t val +: t -> t -> t val -: t -> t -> t val zero: t val scale: f64 -> t -> t val norm2: t -> f64 }
module vec3: (vector with t = {x: f64, y: f64, z: f64}) = {
  type t = {x: f64, y: f64, z: f64}
  def map2 (f: f64 -> f64 -> f64) (a: t) (b: t): t = {x = f a.x b.x, y = f a.y b.y, z = f a.z b.z}
  def (+) = map2 (f64.+)
  def (-) = map2 (f64.-)
  def zero: t = {x = 0, y = 0, z = 0}
  def scale (s: f64) (a: t): t = {x = s * a.x, y = s * a.y, z = s * a.z}
  def norm2 (a: t) = a.x * a.x f64.+ a.y * a.y f64.+ a.z * a.z
}
type body = {pos: vec3.t, vel: vec3.t, mass: f64}
def accel (p: body) (q: body): vec3.t =
  let r = vec3.(q.pos - p.pos)
  let d = vec3.norm2 r + 0.01
  in vec3.scale (q.mass / (d * f64.sqrt d)) r
def step [n] (dt: f64) (bs: [n]body): [n]body =
  let forces = map (\b -> reduce (vec3.+) vec3.zero (map (accel b) bs)) bs
  let advance (b: body) (f: vec3.t): body =
    let vel = vec3.(b.vel + scale dt f)
    in b with vel = vel with pos = vec3.(b.pos + scale dt vel)
  in map2 advance bs forces
-- ==
-- entry: simulate
-- input { 3i32 0.1 [0.0, 1.0, 0.5] [1.0, 2.0, 0.5] } output { [0.2478365885224186, 0.76999954107378, 0.9243286586600427] }
entry simulate [n] (steps: i32) (dt: f64) (xs: [n]f64) (ms: [n]f64) =
  let start = map2 (\x m -> {pos = {x, y = 0, z = 0}, vel = vec3.zero, mass = m}) xs ms
  let end = loop bs = start for _i < steps do step dt bs
  in map (.pos.x) end
