-- A parameter has a size of its own, not one that its function computes.
def dot [n] (a: [n]i32) (b: [n]i32) = reduce (+) 0 (map2 (*) a b)
def f (a: []i32) : i32 =
  let b = filter (> 0) a
  in dot a b
-- expect
-- Error at F04_parameter.fut:5:12-13:
-- Sizes "d0" and "k0" do not match: one of them is known only at run time [F04]
--  3 | def f (a: []i32) : i32 =
--    |           ----- the size `d0` is left open here
--  5 |   in dot a b
--    |            ^
-- note: in the argument of `dot`
-- note: expected: []i32
-- note: actual:   [k0]i32
-- note: `k0` is an unknown size returned by `filter` at F04_parameter.fut:4:11-25
-- help: give the size that is left open a name, as in `[n] (x: [n]t)`; if the two are equal, have it checked at run time with `:> [n]t`
