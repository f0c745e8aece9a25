def f x =
  -- | here
  x
-- expect
-- Error at A07.fut:2:3-12:
-- Documentation comments are only permitted when preceding declarations [A07]
--  2 |   -- | here
--    |   ^^^^^^^^^
