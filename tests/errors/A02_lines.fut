def text = "first
second"

def other = "first\
second"
-- expect
-- Error at A02_lines.fut:1:12-18:
-- Unclosed string literal: it ends with its line [A02]
--  1 | def text = "first
--    |            ^^^^^^
-- help: close it by `"`; the end of a line inside of a text is `\n`
