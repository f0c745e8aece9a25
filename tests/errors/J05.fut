entry odd [h] (a: [2 * h + 1]u8) = a
-- expect
-- Error at J05.fut:1:7-10:
-- Entry point size parameter [h] is only used non-constructively: it is not itself the size of an array [J05]
--  1 | entry odd [h] (a: [2 * h + 1]u8) = a
--    |       ^^^
