def f (n: i32) = loop acc = 0 for i <= n do acc + i
-- expect
-- Error at A04_loop_count.fut:1:37-39:
-- Unexpected token: `<=`, expected `in` and the array [A04]
--  1 | def f (n: i32) = loop acc = 0 for i <= n do acc + i
--    |                                     ^^
-- help: a loop counts by `for i < n`, from 0; it takes other numbers by `for i in 1...n`
