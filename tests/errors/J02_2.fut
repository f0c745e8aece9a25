def main x = x
-- expect
-- Error at J02_2.fut:1:5-9:
-- Entry point functions may not be polymorphic. [J02]
--  1 | def main x = x
--    |     ^^^^
