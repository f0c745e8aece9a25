-- particle.fut - the charge position w that brings a particle through (0,0): descent on a simulation whose force is itself a
-- derivative. The first letter of an entry point is the mode of the outer derivative, the second that of the force.

import "descent"

def square (x: f64) = x * x

def potential (w: f64) (x: [2]f64): f64 =
  let one (cx, cy) = 1 / f64.sqrt (square (x[0] - cx) + square (x[1] - cy))
  in one (10, 10 - w) + one (10, 0)

-- Squared distance from the origin where the path crosses y = 0.
def miss (gradient: ([2]f64 -> f64) -> [2]f64 -> [2]f64) (w: f64): f64 =
  let delta = 0.1
  let (x, v, _) =
    loop (x, v, more) = ([0, 8], [0.75, 0], true) while more do
      let g = gradient (potential w) x
      let next = map2 (\a b -> a + delta * b) x v
      in if next[1] > 0 then (next, map2 (\b d -> b - delta * d) v g, true) else (x, v, false)
  in square (x[0] - x[1] / v[1] * v[0])

def solve outer inner (w: f64): f64 = (argmin outer (\x -> miss inner x[0]) [w])[0]

entry ff (w: f64): f64 = solve forward forward w
entry fr (w: f64): f64 = solve forward reverse w
entry rf (w: f64): f64 = solve reverse forward w
entry rr (w: f64): f64 = solve reverse reverse w
-- ==
-- entry: ff fr rf rr
-- input { 0.0 } output { 0.2071918746486116 }
