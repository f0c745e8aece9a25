entry main = let xs = [1i32, 2, 3] in xs[2:length xs + 2]
-- expect
-- ./L02: Error: Index [2:5] out of bounds for array of shape [3].
--
-- Backtrace:
-- -> #0  L02.fut:1:39-58
