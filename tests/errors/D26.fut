def f = loop x = 1i32 for _i < 3 do true
-- expect
-- Error at D26.fut:1:37-41:
-- Cannot unify [D26]
--   bool
-- with
--   i32
--  1 | def f = loop x = 1i32 for _i < 3 do true
--    |                                     ^^^^
-- help: convert: `i32.bool true`
