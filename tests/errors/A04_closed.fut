def f (x: i32) = x + 1)
-- expect
-- Error at A04_closed.fut:1:23-24:
-- Unexpected token: `)`, expected a declaration: def, entry, type, module, open, import or local [A04]
--  1 | def f (x: i32) = x + 1)
--    |                       ^
-- help: no bracket is open here
