def s = "abc
def t = 1
-- expect
-- Error at A02.fut:1:9-13:
-- Unclosed string literal: it ends with its line [A02]
--  1 | def s = "abc
--    |         ^^^^
-- help: close it by `"`; the end of a line inside of a text is `\n`
