def c = [1i32] == [1]
-- expect
-- Warning at K05.fut:1:9-22:
--   Comparing arrays with `==` is deprecated and will stop working in a future release [K05]
--    1 | def c = [1i32] == [1]
--      |         ^^^^^^^^^^^^^
