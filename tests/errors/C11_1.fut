type~ l = ?[n].[n]i32
type p = (l, i32)
-- expect
-- Error at C11_1.fut:2:10-18:
-- Non-size-lifted type abbreviations may not contain size-lifted types: use `type~` [C11]
--  2 | type p = (l, i32)
--    |          ^^^^^^^^
