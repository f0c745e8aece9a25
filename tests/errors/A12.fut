def f (a: [][]i32) = a[0] [1]
-- expect
-- Error at A12.fut:1:22-30:
-- Incorrect syntax for multi-dimensional indexing: write `a[i, j]` or leave out the blank [A12]
--  1 | def f (a: [][]i32) = a[0] [1]
--    |                      ^^^^^^^^
