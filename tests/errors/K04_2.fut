def f = 1i64..1..<10
-- expect
-- Warning at K04_2.fut:1:9-21:
--   First and second element of range are identical, this will produce an empty array or fail [K04]
--    1 | def f = 1i64..1..<10
--      |         ^^^^^^^^^^^^
