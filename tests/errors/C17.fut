type t = [let n = 2 in n]i32
-- expect
-- Error at C17.fut:1:11-25:
-- Size expression with binding is forbidden [C17]
--  1 | type t = [let n = 2 in n]i32
--    |           ^^^^^^^^^^^^^^
