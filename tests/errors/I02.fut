module m: { val x: i32 } = {}
-- expect
-- Error at I02.fut:1:28-30:
-- Module does not define a value named x [I02]
--  1 | module m: { val x: i32 } = {}
--    |                            ^^
