-- with: input=[1i32,2i32,3i32,4i32,5i32]
entry main (xs: []i32) = intrinsics.flat_index_2d xs 0 2 2 4 1
-- expect
-- ./L16: Error: Flat slice out of bounds: 0 and [(2, 2), (4, 1)] in an array of shape [5].
--
-- Backtrace:
-- -> #0  L16.fut:2:26-63
