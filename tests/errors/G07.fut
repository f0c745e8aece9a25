module m : {type~ t val x : i32 -> t} = {type~ t = i32 def x (y: i32) : t = y}
def f = copy (m.x 1)
-- expect
-- Error at G07.fut:2:14-21:
-- The type m.t is lifted and cannot be an array element, nor stand for a type parameter that is not lifted: its values may differ in size [G07]
--  2 | def f = copy (m.x 1)
--    |              ^^^^^^^
