-- with: input=[1i32,2i32]
entry main (xs: *[]i32) = xs with [length xs] = 1i32
-- expect
-- ./L04: Error: Index [2] out of bounds for array of shape [2].
--
-- Backtrace:
-- -> #0  L04.fut:2:27-53
