def flipped (xs: []bool) = map (!) xs
-- expect
-- Error at A04_not.fut:1:34-35:
-- Unexpected token: `)`, expected an expression [A04]
--  1 | def flipped (xs: []bool) = map (!) xs
--    |                                  ^
-- help: `!` as a function is `not`, of numbers `i32.not` and the like
