-- with: input=-1i32
entry main (x: i32) = 2 ** x
-- expect
-- ./L08: Error: negative exponent
--
-- Backtrace:
-- -> #0  L08.fut:2:25-29
