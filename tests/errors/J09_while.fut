-- with: command=opencl
def newton (a: f64) = loop x = a while f64.abs (x * x - a) > 1e-9 do 0.5 * (x + a / x)
entry main (xs: []f64) = map (\a -> vjp newton a 1) xs
-- expect
-- Error at J09_while.fut:3:37-50:
-- This cannot run on the device: how often a `while` loop runs differs between threads, and so does what is recorded of it; `#[bound(n)]` before the loop says that it runs n times at most [J09]
--  3 | entry main (xs: []f64) = map (\a -> vjp newton a 1) xs
--    |                                     ^^^^^^^^^^^^^^
-- help: compile it with `c` or `multicore`
