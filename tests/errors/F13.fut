def f = filter (!= 7i32) >-> i32.sum
-- expect
-- Error at F13.fut:1:9-37:
-- Existential size would appear in function parameter: a size here would be made only when the function is applied [F13]
--  1 | def f = filter (!= 7i32) >-> i32.sum
--    |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
-- help: apply the functions one after the other, with `|>`
