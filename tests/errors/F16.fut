def twice 'b (g: b -> b) (v: b): b = g (g v)
def h [k] (as: [k]f32) = twice (\q -> q ++ [0]) as
-- expect
-- Error at F16.fut:2:32-48:
-- Occurs check: cannot make size d0 equal to d0 + 1 [F16]
--  2 | def h [k] (as: [k]f32) = twice (\q -> q ++ [0]) as
--    |                                ^^^^^^^^^^^^^^^^
--    |                          ----- the size `d0` is left open here
-- note: in the argument of `twice`
-- note: expected: []f32 -> []f32
-- note: actual:   []f32 -> [d0 + 1]f32
