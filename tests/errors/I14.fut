module f (X: {}) = { def x = 1i32 }
open f
def y = f.x
-- expect
-- Error at I14.fut:2:6-6:
-- Cannot have parametric module here: `f` is a parametric module [I14]
--  2 | open f
--    |      ^
--
-- Error at I14.fut:3:9-11:
-- Cannot have parametric module here: `f` is a parametric module [I14]
--  3 | def y = f.x
--    |         ^^^
