-- A name that is not known in a definition is told of once there.
def dot (a: [n]f64) (b: [n]f64): f64 = f64.sum (map2 (*) a b)
def id (x: a): a = x
def twice (x: i32) = y + x * y
def again = y
type pair = (a, a)
-- expect
-- Error at B01_one_name.fut:2:14-15:
-- Unknown name "n" [B01]
--  2 | def dot (a: [n]f64) (b: [n]f64): f64 = f64.sum (map2 (*) a b)
--    |              ^
-- help: a size is declared after the function's name: `def f [n] (xs: [n]i32)`
--
-- Error at B01_one_name.fut:3:12-13:
-- Unknown type "a" [B02]
--  3 | def id (x: a): a = x
--    |            ^
-- help: a type parameter is declared with `'`: `def f 'a (x: a) = ..` or `type t 'a = ..`
--
-- Error at B01_one_name.fut:4:22-23:
-- Unknown name "y" [B01]
--  4 | def twice (x: i32) = y + x * y
--    |                      ^
--
-- Error at B01_one_name.fut:5:13-14:
-- Unknown name "y" [B01]
--  5 | def again = y
--    |             ^
--
-- Error at B01_one_name.fut:6:14-15:
-- Unknown type "a" [B02]
--  6 | type pair = (a, a)
--    |              ^
-- help: a type parameter is declared with `'`: `def f 'a (x: a) = ..` or `type t 'a = ..`
