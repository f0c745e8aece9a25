def n (xs: []i32) : i64 = xs.length
def m (xs: []i32) : i64 = xs.len
def s (xs: []f64) = xs.map (* 2)
-- expect
-- Error at D12_length.fut:1:30-36:
-- Cannot unify record type with fields `length` with []i32 [D12]
--  1 | def n (xs: []i32) : i64 = xs.length
--    |                              ^^^^^^
-- help: functions stand before their arguments: `length xs`
--
-- Error at D12_length.fut:2:30-33:
-- Cannot unify record type with fields `len` with []i32 [D12]
--  2 | def m (xs: []i32) : i64 = xs.len
--    |                              ^^^
-- help: functions stand before their arguments: `length xs`
--
-- Error at D12_length.fut:3:24-27:
-- Cannot unify record type with fields `map` with []f64 [D12]
--  3 | def s (xs: []f64) = xs.map (* 2)
--    |                        ^^^
-- help: functions stand before their arguments: `map xs`
