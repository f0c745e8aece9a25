def q ((x: i32): bool) = x
-- expect
-- Error at D09.fut:1:8-16:
-- Pattern of type i32 cannot match outer ascribed type bool [D09]
--  1 | def q ((x: i32): bool) = x
--    |        ^^^^^^^^
