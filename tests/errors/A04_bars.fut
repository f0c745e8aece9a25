def f (x: i32) = match x with | 1 -> 2 | _ -> 3
-- expect
-- Error at A04_bars.fut:1:31-32:
-- Unexpected token: `|`, expected an index or a field to update [A04]
--  1 | def f (x: i32) = match x with | 1 -> 2 | _ -> 3
--    |                               ^
-- help: each pattern has its `case`: `match x case p -> a case q -> b`
