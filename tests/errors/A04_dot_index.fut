def f (xs: []i32) = xs.[0]
-- expect
-- Error at A04_dot_index.fut:1:23-24:
-- Unexpected token: `.`, expected a declaration: def, entry, type, module, open, import or local [A04]
--  1 | def f (xs: []i32) = xs.[0]
--    |                       ^
-- help: an index stands directly after the array: `xs[0]`
