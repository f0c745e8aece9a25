-- saddle.fut - the saddle point of (x1^2 + y1^2) - (x2^2 + y2^2): descent on a function whose value is found by ascent. The
-- first letter of an entry point is the mode of the outer derivative, the second that of the inner one.

import "descent"

def f (p: [2]f64) (q: [2]f64): f64 = (p[0] * p[0] + p[1] * p[1]) - (q[0] * q[0] + q[1] * q[1])

def solve (outer: ([2]f64 -> f64) -> [2]f64 -> [2]f64) (inner: ([2]f64 -> f64) -> [2]f64 -> [2]f64) (start: [2]f64): [4]f64 =
  let p = argmin outer (\p -> f p (argmax inner (f p) start)) start
  let q = argmax outer (f p) start
  in [p[0], p[1], q[0], q[1]]

entry ff (start: [2]f64): [4]f64 = solve forward forward start
entry fr (start: [2]f64): [4]f64 = solve forward reverse start
entry rf (start: [2]f64): [4]f64 = solve reverse forward start
entry rr (start: [2]f64): [4]f64 = solve reverse reverse start
-- ==
-- entry: ff fr rf rr
-- input { [1.0, 1.0] }
-- output { [8.246324826140356e-06, 8.246324826140356e-06, 8.246324826140356e-06, 8.246324826140356e-06] }
