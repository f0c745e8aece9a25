module type a = {}
module type a = {}
-- expect
-- Error at B06_3.fut:2:13-14:
-- Duplicate definition of module type a, previously defined at B06_3.fut:1:13-14 [B06]
--  1 | module type a = {}
--    |             - defined here first
--  2 | module type a = {}
--    |             ^
