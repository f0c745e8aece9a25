def area = heigth * 2
def height = 3i32
def volume = heigth * 3
-- expect
-- Error at B01.fut:1:12-18:
-- Unknown name "heigth" [B01]
--  1 | def area = heigth * 2
--    |            ^^^^^^
-- help: did you mean `length`?
--
-- Error at B01.fut:3:14-20:
-- Unknown name "heigth" [B01]
--  3 | def volume = heigth * 3
--    |              ^^^^^^
-- help: did you mean `height`?
