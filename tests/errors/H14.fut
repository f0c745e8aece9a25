def put (v: *[]f32) (d: f32) = v with [0] = d
def go (v: *[]f32) = let h = put v in h 1
-- expect
-- Error at H14.fut:2:30-35:
-- Let-bound expression of higher-order type contains consumption, which is not allowed [H14]
--  2 | def go (v: *[]f32) = let h = put v in h 1
--    |                              ^^^^^
