def c = ''
def s = "\q"
-- expect
-- Error at A03.fut:1:9-11:
-- Invalid char literal [A03]
--  1 | def c = ''
--    |         ^^
--
-- Error at A03.fut:2:10-12:
-- Invalid string literal: unknown escape [A03]
--  2 | def s = "\q"
--    |          ^^
