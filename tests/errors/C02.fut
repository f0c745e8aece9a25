type t = #a | #a i32
-- expect
-- Error at C02.fut:1:15-17:
-- Duplicate constructors: `#a` [C02]
--  1 | type t = #a | #a i32
--    |               ^^
