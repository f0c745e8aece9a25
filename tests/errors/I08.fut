module m: { type t } = { type^ t = i32 -> i32 }
-- expect
-- Error at I08.fut:1:24-48:
-- Module defines the type t as a lifted type, but module type requires a non-lifted type [I08]
--  1 | module m: { type t } = { type^ t = i32 -> i32 }
--    |                        ^^^^^^^^^^^^^^^^^^^^^^^^
--    |                                - defined here
--    |                  - specified here
