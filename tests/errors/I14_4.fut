module F (X: {}) = { def x = 1i32 }
def f = F.(x)
-- expect
-- Warning at I14_4.fut:1:11-12:
--   Unused name "X" [K01]
--    1 | module F (X: {}) = { def x = 1i32 }
--      |           ^
--
-- Error at I14_4.fut:2:9-10:
-- Cannot have parametric module here: `F` is a parametric module [I14]
--  2 | def f = F.(x)
--    |         ^
-- help: give it all modules that it takes: `module applied = F ..`
