module m: (X: {}) -> {} = {}
-- expect
-- Error at I12.fut:1:27-29:
-- Cannot match non-parametric module with parametric module type [I12]
--  1 | module m: (X: {}) -> {} = {}
--    |                           ^^
