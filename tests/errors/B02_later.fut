type pair = (number, number)
type number = i32
-- expect
-- Error at B02_later.fut:1:14-20:
-- Unknown type "number" [B02]
--  1 | type pair = (number, number)
--    |              ^^^^^^
--  2 | type number = i32
--    |      ------ defined here
-- help: a definition can use only what stands before it
