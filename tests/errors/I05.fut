module m : { val f '^a : a -> a } = { def f 'a (x: a) = x }
-- expect
-- Error at I05.fut:1:37-60:
-- Module type specifies [I05]
--   val f : a -> a
-- but module provides
--   a -> a
-- Cannot instantiate type parameter `'a` of the module's `f`, which is not lifted, as the module type says: it must be lifted too
--  1 | module m : { val f '^a : a -> a } = { def f 'a (x: a) = x }
--    |                                     ^^^^^^^^^^^^^^^^^^^^^^^
