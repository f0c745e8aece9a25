-- Where no type was written, the letter in the message stands for it.
def equal x y = x == y
def differ 'a (x: (a, i32)) y = x != (x.0, y)
-- expect
-- Error at D37_open.fut:2:17-23:
-- The type t0 does not support equality [D37]
--  2 | def equal x y = x == y
--    |                 ^^^^^^
-- help: nothing says which type is compared: write it at a parameter, as in `(x: i32)`
--
-- Error at D37_open.fut:3:33-46:
-- The type (a, i32) does not support equality [D37]
--  3 | def differ 'a (x: (a, i32)) y = x != (x.0, y)
--    |                                 ^^^^^^^^^^^^^
