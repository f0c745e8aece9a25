-- with: command=c
def power (x: f64) (n: i32) : f64 = if n == 0 then 1 else x * power x (n - 1)
entry main (x: f64) = vjp (\y -> power y 3) x 1
-- expect
-- Error at J10.fut:3:34-42:
-- The derivative of a recursive function is not supported [J10]
--  3 | entry main (x: f64) = vjp (\y -> power y 3) x 1
--    |                                  ^^^^^^^^^
