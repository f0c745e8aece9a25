-- A module that lacks a member is opened for an expression: nothing is known of what stands there.
module m: { val f: i32 } = { def g = 1i32 }
def two (x: i32) = x + m.(f + 1)
def three (x: i32) = x + m.f
-- expect
-- Error at I02_opened.fut:2:28-44:
-- Module does not define a value named f [I02]
--  2 | module m: { val f: i32 } = { def g = 1i32 }
--    |                            ^^^^^^^^^^^^^^^^
