module m: { type t [n] } = { type t [n] = [n + 1]i32 }
-- expect
-- Error at I10.fut:1:28-55:
-- Type t cannot be made abstract because size parameter [n] is not used constructively in its definition [I10]
--  1 | module m: { type t [n] } = { type t [n] = [n + 1]i32 }
--    |                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^
