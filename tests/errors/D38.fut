def f ({a}: {a: i32, b: i32}) = a
-- expect
-- Error at D38.fut:1:8-11:
-- Pattern `{a}` cannot match ascribed type {a: i32, b: i32} [D38]
-- A pattern for a record lists all its fields
--  1 | def f ({a}: {a: i32, b: i32}) = a
--    |        ^^^
-- note: The record types have unshared fields: b
-- help: add what is not needed: `b = _`
