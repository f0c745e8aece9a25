def all = [1i32, 2]
def add (_: i32) = map2 (+) all
module m : { type t 'a val make 'a : a -> t a } = { type t 'a = a def make 'a (x: a) = x }
def one = m.make all
def same (_: i32) = one
def wrong (_: i32) = (map2 (+) all, all)
-- expect
-- Error at H10_function.fut:6:22-41:
-- The result aliases the free variable "all" [H10]
--  6 | def wrong (_: i32) = (map2 (+) all, all)
--    |                      ^^^^^^^^^^^^^^^^^^^
-- help: return a copy of it
