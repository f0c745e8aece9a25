def g = [1, 2]
def f i = g with [i] = 0
-- expect
-- Warning at H07.fut:1:5-6:
--   Defaulting ambiguous type to i32 [K02]
--    1 | def g = [1, 2]
--      |     ^
--
-- Warning at H07.fut:2:5-6:
--   Defaulting ambiguous type to i32 [K02]
--    2 | def f i = g with [i] = 0
--      |     ^
--
-- Error at H07.fut:2:11-12:
-- Consuming variable "g", which is not consumable: it is a constant of the program [H07]
--  1 | def g = [1, 2]
--    |     - bound here
--  2 | def f i = g with [i] = 0
--    |           ^
-- help: update a copy: `copy g`
