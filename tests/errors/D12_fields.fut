def f (p: {x: f64, y: f64}) = p.z
entry main (a: f64) = f {x=a, y=a}
-- expect
-- Error at D12_fields.fut:1:33-34:
-- Cannot unify record type with fields `z` with {x: f64, y: f64} [D12]
--  1 | def f (p: {x: f64, y: f64}) = p.z
--    |                                 ^
-- help: it has `x`, `y`
