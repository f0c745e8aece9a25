def twice (xs: []f32) = map (lambda x: x * 2) xs
-- expect
-- Error at A04_lambda.fut:1:44-45:
-- Unexpected token: `2`, expected `)` after the section [A04]
--  1 | def twice (xs: []f32) = map (lambda x: x * 2) xs
--    |                                            ^
--    |                             - opened here
-- help: a function begins with a backslash: `(\x -> ...)`
