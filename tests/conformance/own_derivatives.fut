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

-- Rules that are wrong show where they are used: the one for the mode of each operator, and where there is none the
-- function's own derivative; the value is a function with a rule again for the operator around.
def seven (x: f64): f64 = with_vjp (\y -> y * y) (\_ d -> 7 * d) x
def seven_forward (x: f64): f64 = with_jvp (\y -> y * y) (\_ d -> 7 * d) x
def nine_forward (x: f64): f64 = with_jvp seven (\_ d -> 9 * d) x
-- ==
-- entry: used
-- input { 3.0 } output { 7.0 6.0 6.0 7.0 7.0 9.0 }
entry used (x: f64) =
  (vjp seven x 1, jvp seven x 1, vjp seven_forward x 1, jvp seven_forward x 1, vjp nine_forward x 1, jvp nine_forward x 1)

-- ==
-- entry: used_twice
-- input { 3.0 } output { 2.0 7.0 2.0 7.0 2.0 }
entry used_twice (x: f64) =
  (vjp (\y -> jvp seven y 1) x 1, vjp (\y -> (jvp2 seven y 1).0) x 1, vjp (\y -> (jvp2 seven y 1).1) x 1,
   jvp (\y -> (vjp2 seven_forward y 1).0) x 1, jvp (\y -> (vjp2 seven_forward y 1).1) x 1)

-- ==
-- entry: used_in_many
-- input { 3.0 } output { [7.0, 14.0] [7.0, 14.0] [7.0, 14.0, 21.0] }
entry used_in_many (x: f64) =
  (mjp seven x [1, 2], jmp seven_forward x [1, 2], vjp (map seven) [x, x, x] [1, 2, 3])
