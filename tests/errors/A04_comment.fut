// f
def f = 1i32

/* g */
def g = 2i32
-- expect
-- Error at A04_comment.fut:1:1-3:
-- Unexpected token: `//`, expected a declaration: def, entry, type, module, open, import or local [A04]
--  1 | // f
--    | ^^
-- help: a comment begins with `--` and ends with its line
--
-- Error at A04_comment.fut:5:1-4:
-- Unexpected token: `def`, expected an expression [A04]
--  5 | def g = 2i32
--    | ^^^
-- help: a comment begins with `--` and ends with its line
