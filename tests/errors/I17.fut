module type s = { type t 'a }
module m: s with t = i32 = { type t 'a = i32 }
-- expect
-- Error at I17.fut:2:11-25:
-- Cannot refine a type: the parameters or the kind of t differ [I17]
--  2 | module m: s with t = i32 = { type t 'a = i32 }
--    |           ^^^^^^^^^^^^^^
