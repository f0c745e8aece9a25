def f (x: #a | #b i32) = match x case #a -> 1i32
-- expect
-- Error at E02.fut:1:26-49:
-- Unmatched cases in match expression: [E02]
--   #b _
--  1 | def f (x: #a | #b i32) = match x case #a -> 1i32
--    |                          ^^^^^^^^^^^^^^^^^^^^^^^
-- help: add `case #b _ -> ...`
