entry z' (x: i32) = x
entry zzq (x: i32) = x
entry zzzq (x: i32) = x
-- expect
-- Error at J08_letters.fut:3:7-11:
-- The entry point `zzzq` has the same external name as the one at J08_letters.fut:1:7-9 [J08]
--  3 | entry zzzq (x: i32) = x
--    |       ^^^^
