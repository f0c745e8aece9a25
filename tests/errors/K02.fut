def c = 5
-- expect
-- Warning at K02.fut:1:5-6:
--   Defaulting ambiguous type to i32 [K02]
--    1 | def c = 5
--      |     ^
--      |         - this becomes `i32`
