module m: { type t 'a } = { type t = i32 }
-- expect
-- Error at I07.fut:1:27-43:
-- Module defines the type t with other parameters, but module type requires those it lists [I07]
--  1 | module m: { type t 'a } = { type t = i32 }
--    |                           ^^^^^^^^^^^^^^^^
--    |                                  - defined here
--    |                  - specified here
