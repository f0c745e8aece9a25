-- with: input=1i32
entry main (x: i32) : i32 = ???
-- expect
-- ./L13: Error: Reached hole of type: i32
--
-- Backtrace:
-- -> #0  L13.fut:2:29-32
