def f (n: i64): [1 + n]i64 = iota (n + 1)
-- expect
-- Error at F03.fut:1:30-42:
-- Sizes "1 + n" and "n + 1" do not match: sizes are equal only if they are written alike [F03]
--  1 | def f (n: i64): [1 + n]i64 = iota (n + 1)
--    |                              ^^^^^^^^^^^^
-- note: in the result of `f`
-- note: expected: [1 + n]i64
-- note: actual:   [n + 1]i64
