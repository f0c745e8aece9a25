module type s = {type t 'a}
module type r = s with t = i32
-- expect
-- Error at I17_1.fut:2:17-31:
-- Cannot refine a type: the parameters or the kind of t differ [I17]
--  2 | module type r = s with t = i32
--    |                 ^^^^^^^^^^^^^^
