def f (a: *[2]i32) (b: *[4][2]i32) = loop (r, m) = (a, b) for i < 4 do let m[i] = r in (m[0], m)
-- expect
-- Error at H20_1.fut:1:95-96:
-- Return value for consuming loop parameter "m" aliases previously returned value "m" [H20]
--  1 | def f (a: *[2]i32) (b: *[4][2]i32) = loop (r, m) = (a, b) for i < 4 do let m[i] = r in (m[0], m)
--    |                                                                                               ^
-- help: return a copy of one of them
