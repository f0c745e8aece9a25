-- with: input=1i64
entry main (n: i64) = 0i64..<n - 5
-- expect
-- ./L06: Error: Range 0..<-4 is invalid.
--
-- Backtrace:
-- -> #0  L06.fut:2:23-35
