-- with: input=1.5f64
entry main (x: i32) = x
-- expect
-- Invalid argument type.
-- Expected: i32
-- Got:      f64
-- ./L15: Error when reading input #0 of type i32 (errno: Success).
-- Argument `x`: expected a value of type i32, but got `1.5f64`.
