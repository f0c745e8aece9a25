def f x = x +)
-- expect
-- Error at A04.fut:1:13-14:
-- Unexpected token: `+`, expected a declaration: def, entry, type, module, open, import or local [A04]
--  1 | def f x = x +)
--    |             ^
