-- A written type with an unknown size means nothing from there on.
module type vectors = { type~ t 'a val from 'a : [n]a -> t a val size 'a : t a -> i64 }
module arrays: vectors = { type~ t 'a = []a def from [n] 'a (x: [n]a): t a = x def size 'a (x: t a) = length x }
def three = arrays.size (arrays.from [1i32, 2, 3])
type^ solver = {apply: [m]f64 -> [m]f64, steps: i32}
def run [n] (s: solver [n]) (x: [n]f64) = loop x for _i < s.steps do s.apply x
def other (s: solver) = run (s with apply = \x -> map (* 2) x) [1, 2]
-- expect
-- Error at B01_written.fut:2:51-52:
-- Unknown name "n" [B01]
--  2 | module type vectors = { type~ t 'a val from 'a : [n]a -> t a val size 'a : t a -> i64 }
--    |                                                   ^
-- help: a size is declared after the function's name: `def f [n] (xs: [n]i32)`
--
-- Error at B01_written.fut:5:25-26:
-- Unknown name "m" [B01]
--  5 | type^ solver = {apply: [m]f64 -> [m]f64, steps: i32}
--    |                         ^
-- help: a size is declared after the function's name: `def f [m] (xs: [m]i32)`
