module type s = { val x : i32  val x : bool }
-- expect
-- Error at I18.fut:1:36-37:
-- Duplicate definition of name x in a module type, previously defined at I18.fut:1:23-24 [I18]
--  1 | module type s = { val x : i32  val x : bool }
--    |                                    ^
--    |                       - defined here first
