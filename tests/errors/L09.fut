-- with: input=0i32
entry main (n: i32) = assert (n > 0) (100 / n)
-- expect
-- ./L09: Error: Assertion is false: (n > 0)
--
-- Backtrace:
-- -> #0  L09.fut:2:23-47
