module F (P: { val x : i32 }) = {}
module m = F { }
-- expect
-- Warning at I15_2.fut:1:11-12:
--   Unused name "P" [K01]
--    1 | module F (P: { val x : i32 }) = {}
--      |           ^
--
-- Error at I15_2.fut:2:14-17:
-- Module does not define a value named x [I15]
-- The module is the argument for the parameter `P`, which asks for that
--  2 | module m = F { }
--    |              ^^^
