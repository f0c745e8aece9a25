module m: { module n: {} } = {}
-- expect
-- Error at I03.fut:1:30-32:
-- Module does not define a module named n [I03]
--  1 | module m: { module n: {} } = {}
--    |                              ^^
