def f (a: i64) = if a == 1 { 2 } else { 3 }
-- expect
-- Error at A04_choice.fut:1:34-38:
-- Unexpected token: `else`, expected `then` after the condition [A04]
--  1 | def f (a: i64) = if a == 1 { 2 } else { 3 }
--    |                                  ^^^^
-- help: a choice is written `if c then a else b`
