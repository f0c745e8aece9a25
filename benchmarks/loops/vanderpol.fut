-- vanderpol.fut - van der Pol's oscillator up to time t by Heun's method, whose step is as long as Euler's error allows; the
-- derivative of its place by stiffness, place and speed.

import "../input"

def rates (mu: f64) (x: f64, y: f64): (f64, f64) = (y, mu * (1 - x * x) * y - x)

def run (until: f64) (p: [3]f64): f64 =
  let rates = rates p[0]
  let (_, _, x, _) = loop (t, h, x, y) = (0, 1e-3, p[1], p[2]) while t < until do
    let (ax, ay) = rates (x, y)
    let (bx, by) = rates (x + h * ax, y + h * ay)
    let (ex, ey) = (h * (bx - ax) / 2, h * (by - ay) / 2)
    let error = f64.sqrt (ex * ex + ey * ey) / 1e-6
    let next = f64.min 0.1 (h * f64.max 0.2 (f64.min 5 (0.9 / f64.sqrt (error + 1e-30))))
    in if error <= 1 then (t + h, next, x + h * (ax + bx) / 2, y + h * (ay + by) / 2) else (t, next, x, y)
  in x

def instance () = [5, 2, 0f64]

entry inputs (until: f64): (f64, [3]f64) = (until, instance ())
entry calculate_objective (until: f64) (p: [3]f64): f64 = run until p
entry calculate_jacobian (until: f64) (p: [3]f64): [3]f64 = vjp (run until) p 1

entry check (until: f64): (f64, f64, f64) = check_of (run until (instance ())) (vjp (run until) (instance ()) 1)
-- ==
-- entry: check
-- input { 1.5 } output { 1.79239846325627 3.30911950659279 -0.705945239863744 }
