def width [d] (_k: [d]f32 -> f32): i64 = d
def w = width f32.sum
-- expect
-- Error at F08.fut:2:9-14:
-- Ambiguous size: nothing determines the size parameter `d` [F08]
--  2 | def w = width f32.sum
--    |         ^^^^^
