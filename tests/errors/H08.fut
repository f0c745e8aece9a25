def keep (m: [][]f32): *[][]f32 = m
-- expect
-- Error at H08.fut:1:35-36:
-- Unique-typed return value is aliased to "m", which is not consumable [H08]
--  1 | def keep (m: [][]f32): *[][]f32 = m
--    |                                   ^
-- help: return a copy: `copy m`
