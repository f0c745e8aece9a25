import "helper/cycle"
-- expect
-- Error at helper/cycle.fut:1:8-16:
-- Import cycle: B15.fut -> helper/cycle.fut -> B15.fut [B15]
--  1 | import "../B15"
--    |        ^^^^^^^^
