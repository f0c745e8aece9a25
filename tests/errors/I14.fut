module f (X: {}) = { def x = 1i32 }
open f
def y = f.x
-- expect
-- Warning at I14.fut:1:11-12:
--   Unused name "X" [K01]
--    1 | module f (X: {}) = { def x = 1i32 }
--      |           ^
--
-- Error at I14.fut:2:6-7:
-- Cannot have parametric module here: `f` is a parametric module [I14]
--  2 | open f
--    |      ^
-- help: give it all modules that it takes: `module applied = f ..`
--
-- Error at I14.fut:3:9-12:
-- Cannot have parametric module here: `f` is a parametric module [I14]
--  3 | def y = f.x
--    |         ^^^
-- help: give it all modules that it takes: `module applied = f ..`
