def f (b: bool) (c: bool) = if b or ] then 1 else 2
-- expect
-- Error at A04_or_infix.fut:1:37-38:
-- Unexpected token: `]`, expected `then` after the condition [A04]
--  1 | def f (b: bool) (c: bool) = if b or ] then 1 else 2
--    |                                     ^
-- help: one of two conditions: `a || b`
