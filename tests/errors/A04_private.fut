private def f x = x + 1i32
-- expect
-- Error at A04_private.fut:1:1-8:
-- Unexpected token: `private`, expected a declaration: def, entry, type, module, open, import or local [A04]
--  1 | private def f x = x + 1i32
--    | ^^^^^^^
-- help: everything is exported that has no `local` before it: `local def f x = ..`
