-- with: input=[1i32,2i32,3i32] [7i32,8i32,9i32]
entry main (xs: *[]i32) (ys: []i32) = xs with [0:2] = ys
-- expect
-- ./L05: Error: Shape of slice does not match shape of value: [2] against [3].
--
-- Backtrace:
-- -> #0  L05.fut:2:39-57
