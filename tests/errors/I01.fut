module m: { type t } = {}
-- expect
-- Error at I01.fut:1:24-26:
-- Module does not define a type named t [I01]
--  1 | module m: { type t } = {}
--    |                        ^^
