def f (x: i32) = x..x..<10
-- expect
-- Warning at K04.fut:1:18-27:
--   First and second element of range are identical, this will produce an empty array or fail [K04]
--    1 | def f (x: i32) = x..x..<10
--      |                  ^^^^^^^^^
