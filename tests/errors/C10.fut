type f = i32 -> i32
-- expect
-- Error at C10.fut:1:10-20:
-- Non-lifted type abbreviations may not contain functions: use `type^` [C10]
--  1 | type f = i32 -> i32
--    |          ^^^^^^^^^^
