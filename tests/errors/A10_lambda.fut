def f xs = map (\x. x + 1) xs
-- expect
-- Error at A10_lambda.fut:1:18-19:
-- Unexpected token: Cannot use a qualified name in binding position: `x` [A10]
--  1 | def f xs = map (\x. x + 1) xs
--    |                  ^
-- help: a function is written `\x -> ..`
