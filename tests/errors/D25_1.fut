def f = loop s = 0 for x in 5i32 do s
-- expect
-- Error at D25_1.fut:1:29-33:
-- Cannot unify [D25]
--   i32
-- with
--   []t0
--  1 | def f = loop s = 0 for x in 5i32 do s
--    |                             ^^^^
