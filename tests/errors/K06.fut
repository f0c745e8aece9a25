def f (x: *i32) = x
-- expect
-- Warning at K06.fut:1:11-15:
--   Declaring i32 as unique has no effect [K06]
--    1 | def f (x: *i32) = x
--      |           ^^^^
