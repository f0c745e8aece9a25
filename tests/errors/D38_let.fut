def f (r: {a: i32, b: i32, c: bool, d: bool}) = let {a, b} = r in a + b
-- expect
-- Error at D38_let.fut:1:53-59:
-- Pattern `{a, b}` cannot match value of type [D38]
--   {a: i32, b: i32, c: bool, d: bool}
-- A pattern for a record lists all its fields
--  1 | def f (r: {a: i32, b: i32, c: bool, d: bool}) = let {a, b} = r in a + b
--    |                                                     ^^^^^^
-- note: The record types have unshared fields: c, d
-- help: add what is not needed: `c = _, d = _`
