-- with: input=[1i32,2i32]
entry main (xs: []i32) = xs :> [3]i32
-- expect
-- ./L10: Error: Value of (desugared) shape [2] cannot match shape of type "[3]i32".
--
-- Backtrace:
-- -> #0  L10.fut:2:26-38
