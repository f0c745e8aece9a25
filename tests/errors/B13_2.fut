def g (y: i32) : i32 = let f x = f x in f y
-- expect
-- Error at B13_2.fut:1:34-35:
-- Unknown name "f": a local function cannot refer to itself [B13]
--  1 | def g (y: i32) : i32 = let f x = f x in f y
--    |                                  ^
-- help: only functions at the top level are recursive; use a loop
