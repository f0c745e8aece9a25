module m : { type t } = { type~ t = []i32 }
-- expect
-- Error at I09.fut:1:25-44:
-- Module defines the type t with sizes that its values choose, but module type requires a non-lifted type: write `type~` there [I09]
--  1 | module m : { type t } = { type~ t = []i32 }
--    |                         ^^^^^^^^^^^^^^^^^^^
--    |                                 - defined here
--    |                   - specified here
