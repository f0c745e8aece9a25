type a = []i32
-- expect
-- Error at C12.fut:1:10-15:
-- Non-size-lifted type abbreviations may not use existential sizes in their definition: use `type~` or a size parameter [C12]
--  1 | type a = []i32
--    |          ^^^^^
