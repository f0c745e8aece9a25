def f (v: *[]i64) = reduce_by_index v (+) 0 v v
-- expect
-- Error at H12.fut:1:37-38:
-- Argument is consumed, but aliases other arguments through "v" [H12]
--  1 | def f (v: *[]i64) = reduce_by_index v (+) 0 v v
--    |                                     ^
