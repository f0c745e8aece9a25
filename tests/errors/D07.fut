def p = let (a, b) = 1i32 in a
-- expect
-- Error at D07.fut:1:13-19:
-- Pattern `(a, b)` cannot match value of type [D07]
--   i32
--  1 | def p = let (a, b) = 1i32 in a
--    |             ^^^^^^
