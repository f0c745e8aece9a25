-- with: command=c
entry main (x: f64) = vjp (\w -> with_vjp (\y -> y * w) (\_ d -> d * w) (w + 1)) x 1
-- expect
-- Error at J12.fut:2:34-80:
-- `w` is differentiated, but a function with a derivative rule of its own uses it without taking it as its argument [J12]
--  2 | entry main (x: f64) = vjp (\w -> with_vjp (\y -> y * w) (\_ d -> d * w) (w + 1)) x 1
--    |                                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
-- help: make it part of the argument, so that the rule gives its derivative, too
