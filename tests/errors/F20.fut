def c [n] = (iota n, filter (> 3) (iota n))
-- expect
-- Error at F20.fut:1:5-6:
-- A size-polymorphic value binding (over `n`) may not have existential sizes: make it a function [F20]
--  1 | def c [n] = (iota n, filter (> 3) (iota n))
--    |     ^
