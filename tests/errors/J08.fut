entry f' (x: i32) = x
entry fzq (x: i32) = x
-- expect
-- Error at J08.fut:2:7-10:
-- The entry point `fzq` has the same external name as the one at J08.fut:1:7-9 [J08]
--  2 | entry fzq (x: i32) = x
--    |       ^^^
