-- with: command=opencl
def newton (a: f64) = loop x = a while f64.abs (x * x - a) > 1e-9 do 0.5 * (x + a / x)
entry main (xs: []f64) = map (\a -> vjp newton a 1) xs
-- expect
-- Warning at K20_while.fut:3:37-51:
--   A loop of the CPU runs this, because the device cannot: how often a `while` loop runs differs between threads, and so does what is recorded of it; `#[bound(n)]` before the loop says that it runs n times at most [K20]
--    3 | entry main (xs: []f64) = map (\a -> vjp newton a 1) xs
--      |                                     ^^^^^^^^^^^^^^
