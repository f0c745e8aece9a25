-- with_vjp, with_jvp and with_vjp_tape are the plain function where nobody differentiates them.
def square_with (x: f64): f64 = with_vjp (\y -> y * y) (\_ d -> d) x
-- ==
-- entry: plain
-- input { 3.0 } output { 9.0 9.0 9.0 [1.0, 4.0] }
entry plain (x: f64) =
  (square_with x, with_jvp (\y -> y * y) (\_ d -> d) x, with_vjp_tape (\y -> (y, y * y)) (\(t, d) -> t * d) x,
   map square_with [1, 2])

-- A derivative that does not go through it is no matter.
-- ==
-- entry: beside
-- input { 3.0 } output { 18.0 }
entry beside (x: f64) = vjp (\y -> y * square_with x) 1.0 2
