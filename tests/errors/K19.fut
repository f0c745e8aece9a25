-- with: command=c; args=--ad-memory=32
entry main (x: f64): f64 = vjp (\x -> loop s = x for i < 1000i64 do f64.sin (s * 1.1 + f64.i64 i)) x 1
-- expect
-- Warning at K19.fut:2:39-98:
--   The gradient of this loop keeps 64 bytes of its states at least, more than --ad-memory=32 [K19]
--    2 | entry main (x: f64): f64 = vjp (\x -> loop s = x for i < 1000i64 do f64.sin (s * 1.1 + f64.i64 i)) x 1
--      |                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
