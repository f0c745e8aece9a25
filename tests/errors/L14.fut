-- with: input=1i64
entry main (n: i64) = replicate (n - 5) 1i32
-- expect
-- ./L14: Error: Negative allocation: cannot replicate -4 times.
--
-- Backtrace:
-- -> #0  L14.fut:2:23-45
