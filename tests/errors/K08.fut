def f (x: i32) = x intrinsics.+ 1
def g (x: i32) = intrinsics.(x * 2)
-- expect
-- Warning at K08.fut:1:20-32:
--   Using intrinsic functions directly can easily crash the compiler or result in wrong code generation. [K08]
--    1 | def f (x: i32) = x intrinsics.+ 1
--      |                    ^^^^^^^^^^^^
--
-- Warning at K08.fut:2:18-28:
--   Using intrinsic functions directly can easily crash the compiler or result in wrong code generation. [K08]
--    2 | def g (x: i32) = intrinsics.(x * 2)
--      |                  ^^^^^^^^^^
