def f (xs: []i32) = reduce (x y -> x + y) 0 xs
-- expect
-- Error at A04_arrow.fut:1:33-35:
-- Unexpected token: `->`, expected `)` after the expression [A04]
--  1 | def f (xs: []i32) = reduce (x y -> x + y) 0 xs
--    |                                 ^^
--    |                            - opened here
-- help: a function begins with a backslash: `(\x -> ...)`
