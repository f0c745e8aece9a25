-- with: args=--warn=K14
def f (n: u8) = loop x = 0i32 for _i < n do x + 1
-- expect
-- Warning at K14.fut:2:35-37:
--   The loop index has the narrow type u8: it cannot count beyond 255 [K14]
--    2 | def f (n: u8) = loop x = 0i32 for _i < n do x + 1
--      |                                   ^^
--      |                                        - its type is that of the bound
