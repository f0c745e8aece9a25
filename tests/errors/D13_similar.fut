type shape = #circle f32 | #square f32
def f (s: shape) = match s case #circle r -> r case #sqare a -> a
-- expect
-- Error at D13_similar.fut:2:53-61:
-- Pattern `#sqare a` cannot match value of type [D13]
--   #circle f32 | #square f32
-- The sum types differ. Unshared constructors: #sqare
--  2 | def f (s: shape) = match s case #circle r -> r case #sqare a -> a
--    |                                                     ^^^^^^^^
-- help: did you mean `#square`?
