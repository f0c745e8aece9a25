def f [n] (a: [n]i32): [n]i32 = filter (> 0) a
-- expect
-- Error at F04.fut:1:33-46:
-- Sizes "n" and "k0" do not match: one of them is known only at run time [F04]
--  1 | def f [n] (a: [n]i32): [n]i32 = filter (> 0) a
--    |                                 ^^^^^^^^^^^^^^
-- note: in the result of `f`
-- note: expected: [n]i32
-- note: actual:   [k0]i32
-- note: `k0` is an unknown size returned by `filter` at F04.fut:1:33-46
