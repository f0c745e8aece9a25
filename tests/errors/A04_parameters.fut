def f = \x, y -> x + y

def g (x: i32) -> i32 = x
-- expect
-- Error at A04_parameters.fut:1:11-12:
-- Unexpected token: `,`, expected `->` before the body of the function [A04]
--  1 | def f = \x, y -> x + y
--    |           ^
-- help: parameters stand side by side, `\x y -> ..`; a pair is one, `\(x, y) -> ..`
--
-- Error at A04_parameters.fut:3:16-18:
-- Unexpected token: `->`, expected `=` before the body of the definition [A04]
--  3 | def g (x: i32) -> i32 = x
--    |                ^^
-- help: the type of the result follows a colon: `def f (x: t): u = ..`
