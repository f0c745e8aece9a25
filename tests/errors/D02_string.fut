def letter (i: i64): u8 = "abc"[i]
-- expect
-- Error at D02_string.fut:1:27-35:
-- Cannot apply ""abc"": it has the non-function type []u8 [D02]
--  1 | def letter (i: i64): u8 = "abc"[i]
--    |                           ^^^^^^^^
-- help: an index stands directly after the array: `("abc")[i]`
