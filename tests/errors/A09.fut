def (a, b) = (1, 2)
-- expect
-- Error at A09.fut:1:5-11:
-- Cannot bind patterns at top level [A09]
--  1 | def (a, b) = (1, 2)
--    |     ^^^^^^
