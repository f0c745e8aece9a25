def f (xs: []bool) = (or xs, 1 + )
-- expect
-- Error at A04_or.fut:1:32-33:
-- Unexpected token: `+`, expected `)` after the tuple [A04]
--  1 | def f (xs: []bool) = (or xs, 1 + )
--    |                                ^
--    |                      - opened here
