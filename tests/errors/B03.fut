module m: S = {}
-- expect
-- Error at B03.fut:1:11-12:
-- Unknown module type "S" [B03]
--  1 | module m: S = {}
--    |           ^
