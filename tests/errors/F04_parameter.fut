-- The size of the parameter does not come into being later: it differs.
def dot [n] (a: [n]i32) (b: [n]i32) = reduce (+) 0 (map2 (*) a b)
def f (a: []i32) : i32 =
  let b = filter (> 0) a
  in dot a b
-- expect
-- Error at F04_parameter.fut:5:12-12:
-- Sizes "a" and "k0" do not match: one of them is known only at run time [F04]
--  5 |   in dot a b
--    |            ^
-- note: in the argument of `dot`
-- note: `a` stands for the size of the parameter
-- note: `k0` is an unknown size returned by `filter` at F04_parameter.fut:4:11-24
-- help: name the size of `a`, as in `[n] (a: [n]..)`; if the two are equal, have it checked at run time: `b :> [n]i32`
