entry f 'a (x: a) = x
-- expect
-- Error at J02.fut:1:7-8:
-- Entry point functions may not be polymorphic. [J02]
--  1 | entry f 'a (x: a) = x
--    |       ^
