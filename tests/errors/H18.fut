def f (o: []i32) = loop (x: *[]i32) = copy o for _i < 2 do o
-- expect
-- Error at H18.fut:1:60-61:
-- Return value for consuming loop parameter "x" aliases "o", which is bound outside the loop [H18]
--  1 | def f (o: []i32) = loop (x: *[]i32) = copy o for _i < 2 do o
--    |                                                            ^
-- help: return a copy: `copy o`
