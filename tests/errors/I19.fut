module type s = { type t 'a  val x : t }
-- expect
-- Error at I19.fut:1:38-39:
-- Abstract type "t" used without any arguments; it takes 1 [I19]
--  1 | module type s = { type t 'a  val x : t }
--    |                                      ^
