module type T = {type t val mk: i32 -> t val use: t -> i32}
module M: T = {type t = i32 def mk (x: t) = x def use (x: t) = x}
module A: T = M
module B: T = M
def f = A.use (B.mk 1)
-- expect
-- Error at D44.fut:5:15-23:
-- Cannot apply "A.use" to "(B.mk 1)" (invalid type). [D44]
-- Expected:
--   A.t
-- Actual:
--   B.t
-- Cannot unify
--   A.t
-- with
--   B.t
-- These are abstract types: what they stand for is not known here
--  5 | def f = A.use (B.mk 1)
--    |               ^^^^^^^^
-- help: the module type hides what `B.t` is: use the functions of the module, or add `with t = ..` to the module type
