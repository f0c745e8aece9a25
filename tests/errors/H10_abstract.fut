module m : { type t val make : i32 -> t } = { type t = [2]i32 def make (x: i32) = [x, x] }
def all = map m.make [1, 2]
def f (i: i64) = (all[i], i)
def g (_: i32) = { one = map (\i -> all[i]) [0] }
-- expect
-- Error at H10_abstract.fut:3:18-29:
-- The result aliases the free variable "all" [H10]
--  3 | def f (i: i64) = (all[i], i)
--    |                  ^^^^^^^^^^^
-- help: return a copy of it
--
-- Error at H10_abstract.fut:4:37-43:
-- The result aliases the free variable "all" [H10]
--  4 | def g (_: i32) = { one = map (\i -> all[i]) [0] }
--    |                                     ^^^^^^
-- help: return a copy of it
