def f (x: i32): i32 = x
module m = { def f (x: i32): i32 = if x > 3 then x else f (x * 2) }
-- expect
-- Warning at K15.fut:2:18-19:
--   `f` calls itself here, not the earlier definition of that name [K15]
--    2 | module m = { def f (x: i32): i32 = if x > 3 then x else f (x * 2) }
--      |                  ^
--   note: to use the earlier definition, check with --abi=0.25, or give it another name first
