entry none [w]: [0][w]f32 = []
-- expect
-- Error at J04.fut:1:7-11:
-- Entry point functions must not be size-polymorphic in their return type: nothing determines `w` [J04]
--  1 | entry none [w]: [0][w]f32 = []
--    |       ^^^^
