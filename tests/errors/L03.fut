-- with: input=2i64
entry main (s: i64) = let xs = [1i32, 2, 3] in xs[::s - s]
-- expect
-- ./L03: Error: Index [::0] out of bounds for array of shape [3].
--
-- Backtrace:
-- -> #0  L03.fut:2:48-59
