module type step = { val next: i32 -> i32 }
module m = step { def next (x: i32) = x + 1 }
-- expect
-- Error at B03_type.fut:2:12-16:
-- Unknown name "step": there is no module `step` [B03]
--  2 | module m = step { def next (x: i32) = x + 1 }
--    |            ^^^^
-- help: `step` is a module type: a module that has it is `module m : step = ..`
