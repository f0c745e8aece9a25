-- with: input=0i32
entry main (x: i32) = 10 / x
-- expect
-- ./L07: Error: division by zero
--
-- Backtrace:
-- -> #0  L07.fut:2:26-29
