def eat (a: *[]i64) : i64 = a[0]
def f (a: *[]i64) (b: [eat a]i32) = b
-- expect
-- Error at H24.fut:2:28-29:
-- Consuming variable "a", which is not consumable in the size of a type [H24]
--  2 | def f (a: *[]i64) (b: [eat a]i32) = b
--    |                            ^
--    |        - bound here
