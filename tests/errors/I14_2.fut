module type T = (X: {}) -> {}
module type S = { include T }
-- expect
-- Error at I14_2.fut:2:27-28:
-- Cannot have parametric module here: `T` is a parametric module [I14]
--  2 | module type S = { include T }
--    |                           ^
