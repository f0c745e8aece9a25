def f (a: *[][]i32) (b: *[]i32) = loop (r, m) = (b, a) for i < 4 do let m[i] = r in (m[0], m)
-- expect
-- Error at H20.fut:1:92-93:
-- Return value for consuming loop parameter "m" aliases previously returned value "m" [H20]
--  1 | def f (a: *[][]i32) (b: *[]i32) = loop (r, m) = (b, a) for i < 4 do let m[i] = r in (m[0], m)
--    |                                                                                            ^
-- help: return a copy of one of them
