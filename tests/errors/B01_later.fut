def even (n: i32): bool = n == 0 || odd (n - 1)
def odd (n: i32): bool = n != 0 && even (n - 1)
module m = { def a = b def b = 2i32 def c = d }
def d = 2i32
-- expect
-- Error at B01_later.fut:1:37-40:
-- Unknown name "odd" [B01]
--  1 | def even (n: i32): bool = n == 0 || odd (n - 1)
--    |                                     ^^^
--  2 | def odd (n: i32): bool = n != 0 && even (n - 1)
--    |     --- defined here
-- help: a definition can use only what stands before it
--
-- Error at B01_later.fut:3:22-23:
-- Unknown name "b" [B01]
--  3 | module m = { def a = b def b = 2i32 def c = d }
--    |                      ^
--    |                            - defined here
-- help: a definition can use only what stands before it
--
-- Error at B01_later.fut:3:45-46:
-- Unknown name "d" [B01]
--  3 | module m = { def a = b def b = 2i32 def c = d }
--    |                                             ^
--  4 | def d = 2i32
--    |     - defined here
-- help: a definition can use only what stands before it
