type t 'a 'a = (a, a)
-- expect
-- Error at B08.fut:1:12-13:
-- The parameter `a` is also bound at B08.fut:1:9-10: it was previously defined at B08.fut:1:9-10 [B08]
--  1 | type t 'a 'a = (a, a)
--    |            ^
