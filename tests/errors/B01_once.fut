def g (x: i32) = (x, y, x)
def h (x: i32) : {a: i32, b: [2]f64} = {a = x, b = [z, 2]}
-- What is made of these two, here and elsewhere, is not spoken of.
def k = let r = g 1 in (r.0.0, r.1, match r.2 case #a -> 1i32 case #b -> 2)
def l = let r = h 1 in map (+ r.a) r.b
def m x = match x case #a y -> y + w case #b -> 0
def n = m (#a 2)
def o = loop s = (0, v) for i < 3 do (s.0 + i, s.1.field[i])
def p = map (\x -> x.q) (u 3)
-- expect
-- Error at B01_once.fut:1:22-23:
-- Unknown name "y" [B01]
--  1 | def g (x: i32) = (x, y, x)
--    |                      ^
--
-- Error at B01_once.fut:2:53-54:
-- Unknown name "z" [B01]
--  2 | def h (x: i32) : {a: i32, b: [2]f64} = {a = x, b = [z, 2]}
--    |                                                     ^
--
-- Error at B01_once.fut:6:36-37:
-- Unknown name "w" [B01]
--  6 | def m x = match x case #a y -> y + w case #b -> 0
--    |                                    ^
--
-- Error at B01_once.fut:8:22-23:
-- Unknown name "v" [B01]
--  8 | def o = loop s = (0, v) for i < 3 do (s.0 + i, s.1.field[i])
--    |                      ^
--
-- Error at B01_once.fut:9:26-27:
-- Unknown name "u" [B01]
--  9 | def p = map (\x -> x.q) (u 3)
--    |                          ^
