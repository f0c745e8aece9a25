def f x =
  -- | here
  x
-- expect
-- Error at A07.fut:2:3-11:
-- Documentation comments are only permitted when preceding declarations [A07]
--  2 |   -- | here
--    |   ^^^^^^^^^
