def f (x: i32) = case x of 1 -> 2
-- expect
-- Error at A04_case_of.fut:1:18-22:
-- Unexpected token: `case`, expected an expression [A04]
--  1 | def f (x: i32) = case x of 1 -> 2
--    |                  ^^^^
-- help: a choice by patterns is `match x case p -> a case q -> b`
