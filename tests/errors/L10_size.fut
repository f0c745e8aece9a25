-- with: input=[1i32,2i32,3i32,4i32] 3i64
entry main (xs: []i32) (n: i64) = xs :> [n]i32
-- expect
-- ./L10_size: Error: Value of (desugared) shape [4] cannot match shape of type "[n]i32". Here that is [3].
--
-- Backtrace:
-- -> #0  L10_size.fut:2:35-47
