type t = A | B
-- expect
-- Error at A04_type_cases.fut:1:12-13:
-- Unexpected token: `|`, expected a declaration: def, entry, type, module, open, import or local [A04]
--  1 | type t = A | B
--    |            ^
-- help: the cases of a type begin with `#`: `type t = #a i32 | #b`
