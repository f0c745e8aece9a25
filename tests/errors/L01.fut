entry main = let xs = [1i32, 2, 3] in xs[length xs]
-- expect
-- ./L01: Error: Index [3] out of bounds for array of shape [3].
--
-- Backtrace:
-- -> #0  L01.fut:1:39-52
