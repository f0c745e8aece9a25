module a = {}
module b = a {}
-- expect
-- Error at I13.fut:2:12-16:
-- Cannot apply non-parametric module `a` [I13]
--  2 | module b = a {}
--    |            ^^^^
