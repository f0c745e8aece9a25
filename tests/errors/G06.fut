def f '^t (x: t) = [x]
-- expect
-- Error at G06.fut:1:21-22:
-- The type t is lifted and cannot be an array element, nor stand for a type parameter that is not lifted: it may be a function [G06]
--  1 | def f '^t (x: t) = [x]
--    |                     ^
