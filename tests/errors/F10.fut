def f (n: i64, x: i32): [n]i32 = replicate n x
-- expect
-- Error at F10.fut:1:25-31:
-- The result type mentions a name bound to an inner component of a parameter: callers cannot see it [F10]
--  1 | def f (n: i64, x: i32): [n]i32 = replicate n x
--    |                         ^^^^^^
