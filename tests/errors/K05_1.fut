def f = [1] == [1]
-- expect
-- Warning at K05_1.fut:1:9-19:
--   Comparing arrays with `==` is deprecated and will stop working in a future release [K05]
--    1 | def f = [1] == [1]
--      |         ^^^^^^^^^^
