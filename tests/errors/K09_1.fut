def f : i32 = ???
-- expect
-- Warning at K09_1.fut:1:15-18:
--   Hole of type: i32 [K09]
--    1 | def f : i32 = ???
--      |               ^^^
