def outer k = let inner 'c (z: c) = [z, k] in inner
-- expect
-- Error at D32.fut:1:41-42:
-- Cannot unify [D32]
--   t0
-- with
--   c
-- The type parameter `c` is not known where the other type was made (scope violation)
--  1 | def outer k = let inner 'c (z: c) = [z, k] in inner
--    |                                         ^
