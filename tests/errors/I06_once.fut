module type step = { type t val next: t -> t }
module m: step with t = i32 = { type t = i64 def next (x: i64) = x + 1 }
-- expect
-- Error at I06_once.fut:2:31-73:
-- Module defines [I06]
--   type t = i64
-- but module type requires
--   i32
--  1 | module type step = { type t val next: t -> t }
--    |                           - specified here
--  2 | module m: step with t = i32 = { type t = i64 def next (x: i64) = x + 1 }
--    |                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--    |                                      - defined here
