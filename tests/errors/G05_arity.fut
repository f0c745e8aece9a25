def f (xs: []i32) = map (+) xs
-- expect
-- Error at G05_arity.fut:1:25-28:
-- The type number -> number was found to be functional. [G05]
-- When instantiating type parameter `x` of `map`, which is not lifted
--  1 | def f (xs: []i32) = map (+) xs
--    |                         ^^^
-- help: `(+)` takes 2 arguments, and `map` gives it 1
