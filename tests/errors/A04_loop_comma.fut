def f (n: i32) = loop acc = 0, i = 1 while i < n do (acc + i, i + 1)
-- expect
-- Error at A04_loop_comma.fut:1:30-31:
-- Unexpected token: `,`, expected `for` or `while` after the start of the loop [A04]
--  1 | def f (n: i32) = loop acc = 0, i = 1 while i < n do (acc + i, i + 1)
--    |                              ^
-- help: several values are a tuple: `loop (x, y) = (0, 1) for ..`
