def f (r: {a: i32}) = r.b
-- expect
-- Error at D12.fut:1:25-26:
-- Cannot unify record type with fields `b` with {a: i32} [D12]
--  1 | def f (r: {a: i32}) = r.b
--    |                         ^
-- help: it has `a`
