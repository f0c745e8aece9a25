module m = { type point = {x: f32, y: f32} }
def f (p: point) = p.x
def g (p: m) = p.x
-- expect
-- Error at B02_module.fut:2:11-16:
-- Unknown type "point" [B02]
--  2 | def f (p: point) = p.x
--    |           ^^^^^
-- help: it is a member of modules: `m.point`
--
-- Error at B02_module.fut:3:11-12:
-- Unknown type "m" [B02]
--  3 | def g (p: m) = p.x
--    |           ^
-- help: `m` is a module: name a type in it, as `m.t`
