module F (P: { val x : i32 }) = {}
module m = F { def x = 1.5f32 }
-- expect
-- Warning at I15.fut:1:11-12:
--   Unused name "P" [K01]
--    1 | module F (P: { val x : i32 }) = {}
--      |           ^
--
-- Error at I15.fut:2:14-32:
-- Module type specifies [I15]
--   val x : i32
-- but module provides
--   f32
-- The module is the argument for the parameter `P`, which asks for that
--  1 | module F (P: { val x : i32 }) = {}
--    |                    - specified here
--  2 | module m = F { def x = 1.5f32 }
--    |              ^^^^^^^^^^^^^^^^^^
--    |                    - defined here
