def r = 1..10
-- expect
-- Error at A08.fut:1:10-12:
-- A range needs its end: use '...' for ranges, not '..' [A08]
--  1 | def r = 1..10
--    |          ^^
