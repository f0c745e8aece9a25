module type T = {type t val mk: i32 -> t}
module M: T = {type t = i32 def mk (x: t) = x}
module A: T = M
module B: T = M
def f = [A.mk 1, B.mk 1]
-- expect
-- Error at D44_2.fut:5:18-24:
-- Cannot unify [D44]
--   B.t
-- with
--   A.t
-- Cannot unify
--   A.t
-- with
--   B.t
-- These are abstract types: what they stand for is not known here
--  5 | def f = [A.mk 1, B.mk 1]
--    |                  ^^^^^^
-- help: the module type hides what `B.t` is: use the functions of the module, or add `with t = ..` to the module type
