def f (a: *[2]i32) (b: *[2]i32) = loop (x: *[2]i32, y: *[2]i32) = (a, b) for i < 2 do (y, y)
-- expect
-- Error at H19_2.fut:1:91-92:
-- Return value for consuming loop parameter "y" aliases other consumed loop parameter "x": both would share memory [H19]
--  1 | def f (a: *[2]i32) (b: *[2]i32) = loop (x: *[2]i32, y: *[2]i32) = (a, b) for i < 2 do (y, y)
--    |                                                                                           ^
-- help: return a copy of one of them
