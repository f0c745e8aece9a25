def f = let g[n] (x: [n]i32) = x in g [1]
-- expect
-- Error at A15.fut:1:18-19:
-- Unexpected token: `(`; if `[..]` is a size parameter of the function `g`, put a blank before it [A15]
--  1 | def f = let g[n] (x: [n]i32) = x in g [1]
--    |                  ^
