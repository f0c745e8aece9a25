-- lorenz.fut - the sixteen variables of a Lorenz-96 model as scalars, by s small steps of Euler's method.

import "../input"

type state = ((f64, f64, f64, f64), (f64, f64, f64, f64), (f64, f64, f64, f64), (f64, f64, f64, f64))

def step (((a, b, c, d), (e, f, g, h), (i, j, k, l), (m, n, o, p)): state): state =
  let next x0 x1 x2 x3 = x2 + 1e-3 * ((x3 - x0) * x1 - x2 + 8)
  in ((next o p a b, next p a b c, next a b c d, next b c d e), (next c d e f, next d e f g, next e f g h, next f g h i),
      (next g h i j, next h i j k, next i j k l, next j k l m), (next k l m n, next l m n o, next m n o p, next n o p a))

def run (s: i64) (x: [16]f64): [16]f64 =
  let four i = (x[i], x[i + 1], x[i + 2], x[i + 3])
  let ((a, b, c, d), (e, f, g, h), (i, j, k, l), (m, n, o, p)) = loop y = (four 0, four 4, four 8, four 12) for _i < s do step y
  in [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]

def instance () = tabulate 16 (\i -> 8 + uniform 251 i)

entry inputs (s: i64): (i64, [16]f64) = (s, instance ())
entry calculate_objective (s: i64) (x: [16]f64): [16]f64 = run s x
entry calculate_jacobian (s: i64) (x: [16]f64): [16]f64 = vjp (run s) x (replicate 16 1)

entry check (s: i64): (f64, f64, f64) =
  check_of (contract (run s (instance ()))) (vjp (run s) (instance ()) (tabulate 16 (\j -> 1 / f64.i64 (1 + j))))
-- ==
-- entry: check
-- input { 400i64 } output { 22.0227673497287 -3.84554095701996 6.91623650209661 }
