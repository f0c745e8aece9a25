-- taylorlog.fut - the logarithm's series: a long loop with nothing to record but a scalar.

def series (n: i64) (x: f64): f64 =
  (loop (s, power) = (0, x) for k < n do (s + power / f64.i64 (k + 1), power * x)).0

entry inputs (n: i64): (f64, i64) = (0.5, n)

entry calculate_objective (x: f64) (n: i64): f64 = series n x
entry calculate_jacobian (x: f64) (n: i64): f64 = vjp (series n) x 1

-- -log (1 - x), and (1 - x^n) / (1 - x).
entry check (x: f64) (n: i64): (f64, f64) = (series n x, vjp (series n) x 1)
-- ==
-- entry: check
-- input { 0.5 1i64 } output { 0.5 1.0 }
-- input { 0.5 10i64 } output { 0.6930648561507937 1.998046875 }
-- input { 0.5 100i64 } output { 0.6931471805599453 2.0 }
