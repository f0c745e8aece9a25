module F (X: {}) = { def x = 1i32 }
open F
-- expect
-- Warning at I14_1.fut:1:11-12:
--   Unused name "X" [K01]
--    1 | module F (X: {}) = { def x = 1i32 }
--      |           ^
--
-- Error at I14_1.fut:2:6-7:
-- Cannot have parametric module here: `F` is a parametric module [I14]
--  2 | open F
--    |      ^
-- help: give it all modules that it takes: `module applied = F ..`
