def f (x: f64) = i32 x
-- expect
-- Error at B05_conversion.fut:1:18-21:
-- Unknown name "i32" for a value: it is the name of a module [B05]
--  1 | def f (x: f64) = i32 x
--    |                  ^^^
-- help: a conversion says what it converts, too: `i32.f64 x`
