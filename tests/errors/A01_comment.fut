# f
def f = 1i32
-- expect
-- Error at A01_comment.fut:1:1-2:
-- Unexpected token: the character `#` has no meaning here [A01]
--  1 | # f
--    | ^
-- help: a comment begins with `--` and ends with its line
