-- Whatever is not known after an unknown module was opened may be one of its members.
module m = i32.part
def inside (x: i32) = m.(x + 1)
module whole = { open m def y = 3i32 }
def member (x: i32): whole.thing = whole.other x + whole.y
open m
def name (x: i32): thing = other x + part.x
module type of_part = { include thing }
-- expect
-- Error at B04_opened.fut:2:12-20:
-- Unknown name "i32.part": the module `i32` has no value `part` [B04]
--  2 | module m = i32.part
--    |            ^^^^^^^^
