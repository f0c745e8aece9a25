def f = 1i32
-- expect
-- Error at A01_mark.fut:1:1-2:
-- Unexpected token: the character `U+FEFF` has no meaning here [A01]
--  1 | ﻿def f = 1i32
--    | ^
-- help: it looks like a blank, or like nothing: remove it
