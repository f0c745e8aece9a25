def f (x: [3]i32) = x
def g = f [1, 2]
-- expect
-- Error at F02.fut:2:11-17:
-- Sizes "3" and "2" do not match [F02]
--  2 | def g = f [1, 2]
--    |           ^^^^^^
-- note: in the argument of `f`
-- note: expected: [3]i32
-- note: actual:   [2]i32
