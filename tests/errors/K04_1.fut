def f (x: i64) = x..x..<10
-- expect
-- Warning at K04_1.fut:1:18-27:
--   First and second element of range are identical, this will produce an empty array or fail [K04]
--    1 | def f (x: i64) = x..x..<10
--      |                  ^^^^^^^^^
