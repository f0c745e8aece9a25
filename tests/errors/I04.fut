module m: { val x: i32 } = { def x = true }
-- expect
-- Error at I04.fut:1:28-44:
-- Module type specifies [I04]
--   val x : i32
-- but module provides
--   bool
--  1 | module m: { val x: i32 } = { def x = true }
--    |                            ^^^^^^^^^^^^^^^^
