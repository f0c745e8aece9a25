import "nope"
-- expect
-- Error at B14.fut:1:8-14:
-- Could not read file "nope.fut". [B14]
--  1 | import "nope"
--    |        ^^^^^^
