def second (xs: []i32) = xs [1]
-- expect
-- Error at D02_index.fut:1:26-32:
-- Cannot apply "xs": it has the non-function type []i32 [D02]
--  1 | def second (xs: []i32) = xs [1]
--    |                          ^^^^^^
-- help: an index stands directly after the array: `xs[1]`
