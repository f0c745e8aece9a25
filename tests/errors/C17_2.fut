def f (x: [let n = 2 in n]i32) = x
-- expect
-- Error at C17_2.fut:1:12-26:
-- Size expression with binding is forbidden [C17]
--  1 | def f (x: [let n = 2 in n]i32) = x
--    |            ^^^^^^^^^^^^^^
