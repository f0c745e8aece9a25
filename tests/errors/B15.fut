import "helper/cycle"
-- expect
-- Error at helper/cycle.fut:1:8-16:
-- Import cycle: B15 -> helper/cycle -> B15 [B15]
--  1 | import "../B15"
--    |        ^^^^^^^^
