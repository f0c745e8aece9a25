type shape = #circle f32 | #square f32
def f (s: shape) = match s case circle r -> r case square a -> a
-- expect
-- Error at A04_constructor.fut:2:40-41:
-- Unexpected token: `r`, expected `->` before the body of the case [A04]
--  2 | def f (s: shape) = match s case circle r -> r case square a -> a
--    |                                        ^
-- help: a constructor begins with `#`: `#circle`
