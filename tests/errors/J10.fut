-- with: command=c
def f (x: f64) (n: i32): f64 = if n == 0 then x else vjp (\y -> y * f y (n - 1)) x 1
entry main (x: f64) = f x 3
-- expect
-- Error at J10.fut:2:54-85:
-- A recursive function takes a derivative of itself: how often it is differentiated is known only when it runs [J10]
--  2 | def f (x: f64) (n: i32): f64 = if n == 0 then x else vjp (\y -> y * f y (n - 1)) x 1
--    |                                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
-- help: `raido run` runs it
