def app (f: (n: i64) -> [n]i64) = f 3
def g = app (\(k: i64) -> iota (k + 1))
-- expect
-- Error at F23.fut:2:13-40:
-- Sizes "k" and "k + 1" do not match. [F23]
-- When matching return types of functions whose result sizes depend on the parameter
--  2 | def g = app (\(k: i64) -> iota (k + 1))
--    |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^
-- note: in the argument of `app`
-- note: expected: (n: i64) -> [n]i64
-- note: actual:   (k: i64) -> [k + 1]i64
