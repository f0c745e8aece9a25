module type s = {type u}
module type r = s with t = i32
-- expect
-- Error at I16_2.fut:2:24-25:
-- t is not an abstract type in the module type [I16]
--  2 | module type r = s with t = i32
--    |                        ^
