def f = filter (!= 7i32) >-> i32.sum
-- expect
-- Error at F13.fut:1:30-36:
-- Existential size would appear in function parameter: the size parameter `n` would be made only when the function is applied [F13]
--  1 | def f = filter (!= 7i32) >-> i32.sum
--    |                              ^^^^^^^
-- help: apply the functions one after the other, with `|>`
