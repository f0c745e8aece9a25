def f = 1i32
def g = 2​
-- expect
-- Error at A01_unseen.fut:1:8-9:
-- Unexpected token: the character `U+00A0` has no meaning here [A01]
--  1 | def f = 1i32
--    |        ^
-- help: it looks like a blank, or like nothing: remove it
--
-- Error at A01_unseen.fut:2:10-11:
-- Unexpected token: the character `U+200B` has no meaning here [A01]
--  2 | def g = 2​
--    |          ^
-- help: it looks like a blank, or like nothing: remove it
