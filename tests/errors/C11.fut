module type s = { type~ l }
module f (M: s) = { type p = (M.l, i32) }
-- expect
-- Error at C11.fut:2:30-40:
-- Non-size-lifted type abbreviations may not contain size-lifted types: use `type~` [C11]
--  2 | module f (M: s) = { type p = (M.l, i32) }
--    |                              ^^^^^^^^^^
