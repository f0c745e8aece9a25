def f (a: *[]i32) = map (let b = a with [0] = 1 in \i -> b[i]) [0]
-- expect
-- Error at H13.fut:1:25-63:
-- Functional argument contains consumption, which is not allowed: bind the data with `let` first [H13]
--  1 | def f (a: *[]i32) = map (let b = a with [0] = 1 in \i -> b[i]) [0]
--    |                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
