def h (b: i32) = match b case 1 -> 1i32 case _ -> true
-- expect
-- Error at D04_2.fut:1:51-55:
-- Branches differ in type: [D04]
--   i32
-- and
--   bool
--  1 | def h (b: i32) = match b case 1 -> 1i32 case _ -> true
--    |                                                   ^^^^
