def f (a: *[]i32) (b: *[]i32) = loop (x, y) = (a, b) for i < 2 do let x = x with [0] = 1 let y = y with [0] = 2 in (x, x)
-- expect
-- Error at H19.fut:1:120-121:
-- Return value for consuming loop parameter "y" aliases other consumed loop parameter "x": both would share memory [H19]
--  1 | def f (a: *[]i32) (b: *[]i32) = loop (x, y) = (a, b) for i < 2 do let x = x with [0] = 1 let y = y with [0] = 2 in (x, x)
--    |                                                                                                                        ^
-- help: return a copy of one of them
