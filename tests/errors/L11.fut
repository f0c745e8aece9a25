-- with: input=[1i32,2i32,3i32]
entry main (xs: []i32) = unflatten (xs :> [2 * 2]i32)
-- expect
-- ./L11: Error: Value of (desugared) shape [3] cannot match shape of type "[2 * 2]i32".
--
-- Backtrace:
-- -> #0  L11.fut:2:37-53
