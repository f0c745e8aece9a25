module m : { val f [n] : [n]i32 -> i32 } = { def f [n] (x: *[n]i32) = x[0] }
-- expect
-- Error at I20.fut:1:44-77:
-- Module type specifies [I20]
--   val f : [n]i32 -> i32
-- but module provides
--   *[n]i32 -> i32
-- The types are incompatible regarding consuming their arguments
--  1 | module m : { val f [n] : [n]i32 -> i32 } = { def f [n] (x: *[n]i32) = x[0] }
--    |                                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
