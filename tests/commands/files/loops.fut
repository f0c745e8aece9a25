entry main (n: i64) (x: f64): f64 = vjp (\x -> loop s = x for i < n do f64.sin (s * 1.1 + f64.i64 i)) x 1

entry fixed (x: f64): f64 = vjp (\x -> loop s = x for i < 1000i64 do f64.sin (s * 1.1 + f64.i64 i)) x 1

entry whole (x: f64): (f64, f64) = (vjp (\x -> x - f64.i64 (i64.f64 x)) x 1, jvp (\x -> x - f64.i64 (i64.f64 x)) x 1)

entry norm (x: [2]f64): [2]f64 = vjp (\x -> f64.sqrt (x[0] * x[0] + x[1] * x[1])) x 1

-- 2 where x is 0: the product of a zero and something finite has a derivative.
entry square (x: f64): f64 = jvp (\x -> vjp (\x -> x * x * f64.exp x) x 1) x 1
