def f: i32 = ???
-- expect
-- Warning at K09.fut:1:14-17:
--   Hole of type: i32 [K09]
--    1 | def f: i32 = ???
--      |              ^^^
