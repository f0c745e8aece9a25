-- The warning stands where a type may be written. Its labels tell which literals and operators are meant.
def several (x: f64) = (x, 3, {first = 2.5, second = [4, 5]}, 'c')
def twice x = x + x
-- expect
-- Warning at K02_several.fut:2:5-12:
--   Defaulting ambiguous type to i32 [K02]
--    2 | def several (x: f64) = (x, 3, {first = 2.5, second = [4, 5]}, 'c')
--      |     ^^^^^^^
--      |                            - this becomes `i32`
--      |                                        --- this becomes `f64`
--      |                                                       - this becomes `i32`
--      |                                                               --- this becomes `i32`
--
-- Warning at K02_several.fut:3:5-10:
--   Defaulting ambiguous type to i32 [K02]
--    3 | def twice x = x + x
--      |     ^^^^^
--      |               ----- this becomes `i32`
