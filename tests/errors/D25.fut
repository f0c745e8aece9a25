def f = loop s = 0i32 for x in 5i32 do s
-- expect
-- Error at D25.fut:1:32-36:
-- Cannot unify [D25]
--   i32
-- with
--   []t0
--  1 | def f = loop s = 0i32 for x in 5i32 do s
--    |                                ^^^^
