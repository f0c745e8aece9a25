def call (f: i64 -> *[]i32) = f 3
def keep (xs: *[]i32) =
  let first (_: i64): *[]i32 = xs
  in call first
-- expect
-- Error at H16_captured.fut:4:11-16:
-- The function types have incompatible uniqueness of results [H16]
--  4 |   in call first
--    |           ^^^^^
-- note: its result may be what the function captures
-- help: let the function return a copy
