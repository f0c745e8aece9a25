def g ((#a x): #a i32 | #b) = x
-- expect
-- Error at E01_2.fut:1:7-28:
-- Refutable pattern not allowed here. [E01]
-- Unmatched cases:
--   #b
--  1 | def g ((#a x): #a i32 | #b) = x
--    |       ^^^^^^^^^^^^^^^^^^^^^
