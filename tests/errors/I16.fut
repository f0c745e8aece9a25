module type s = { type t = i32 }
module m: s with t = i32 = { type t = i32 }
-- expect
-- Error at I16.fut:2:18-19:
-- t is not an abstract type in the module type [I16]
--  2 | module m: s with t = i32 = { type t = i32 }
--    |                  ^
