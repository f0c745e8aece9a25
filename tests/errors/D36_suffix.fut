def f (b: bool) = if b then 3000000000 else 1i32
def g: i32 = -3000000000
-- expect
-- Error at D36_suffix.fut:1:29-39:
-- The literal 3000000000 is out of bounds for inferred type i32 [D36]
--  1 | def f (b: bool) = if b then 3000000000 else 1i32
--    |                             ^^^^^^^^^^
-- help: an `i64` holds it: `3000000000i64`
--
-- Error at D36_suffix.fut:2:15-25:
-- The literal -3000000000 is out of bounds for inferred type i32 [D36]
--  2 | def g: i32 = -3000000000
--    |               ^^^^^^^^^^
-- help: an `i64` holds it: `3000000000i64`
