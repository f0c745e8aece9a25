def x = i32
-- expect
-- Error at B05.fut:1:9-12:
-- Unknown name "i32" for a value: it is the name of a module [B05]
--  1 | def x = i32
--    |         ^^^
-- help: a conversion says what it converts, too: `i32.f64 x`
