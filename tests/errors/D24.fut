def r = 1i32..<2i64
-- expect
-- Error at D24.fut:1:16-20:
-- Cannot unify [D24]
--   i64
-- with
--   i32
--  1 | def r = 1i32..<2i64
--    |                ^^^^
-- help: convert: `i32.i64 2i64`
