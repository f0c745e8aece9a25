def f (xs: []i32) = intrinsics.map i32.abs xs
-- expect
-- Warning at K08_1.fut:1:21-35:
--   Using intrinsic functions directly can easily crash the compiler or result in wrong code generation. [K08]
--    1 | def f (xs: []i32) = intrinsics.map i32.abs xs
--      |                     ^^^^^^^^^^^^^^
