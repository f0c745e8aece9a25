def (&&) (a: i32) (b: i32) = a
-- expect
-- Error at B12.fut:1:5-9:
-- The operator `&&` may not be redefined [B12]
--  1 | def (&&) (a: i32) (b: i32) = a
--    |     ^^^^
