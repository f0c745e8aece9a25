module F (X: {}) = {}
module m : {} = F
-- expect
-- Warning at I12_2.fut:1:11-12:
--   Unused name "X" [K01]
--    1 | module F (X: {}) = {}
--      |           ^
--
-- Error at I12_2.fut:2:17-18:
-- Cannot match parametric module with non-parametric module type [I12]
--  2 | module m : {} = F
--    |                 ^
