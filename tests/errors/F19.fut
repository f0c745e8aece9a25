def f [n] (xs: [n]i32) = loop (a: [n]i32) = xs for _i < 2 do a ++ a
-- expect
-- Error at F19.fut:1:62-68:
-- Loop body does not have expected type. [F19]
-- Sizes "n" and "n + n" do not match
--  1 | def f [n] (xs: [n]i32) = loop (a: [n]i32) = xs for _i < 2 do a ++ a
--    |                                                              ^^^^^^
-- note: in the body of the loop
-- note: expected: [n]i32
-- note: actual:   [n + n]i32
