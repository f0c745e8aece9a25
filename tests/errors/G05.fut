def g = copy (\x -> x + 1i32)
-- expect
-- Error at G05.fut:1:14-30:
-- The type i32 -> i32 was found to be functional. [G05]
-- When instantiating type parameter `t` of `copy`, which is not lifted
--  1 | def g = copy (\x -> x + 1i32)
--    |              ^^^^^^^^^^^^^^^^
