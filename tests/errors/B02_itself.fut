type list = #nil | #cons i32 list
-- expect
-- Error at B02_itself.fut:1:30-34:
-- Unknown type "list" [B02]
--  1 | type list = #nil | #cons i32 list
--    |                              ^^^^
-- help: no type contains itself: keep the parts in an array, and let indices refer to them
