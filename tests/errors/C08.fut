def f (x: [3](i32 -> i32)) = x
-- expect
-- Error at C08.fut:1:11-26:
-- Cannot create array with elements of lifted type i32 -> i32: it may contain functions [C08]
--  1 | def f (x: [3](i32 -> i32)) = x
--    |           ^^^^^^^^^^^^^^^
