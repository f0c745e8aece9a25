def f (xs: []i32) = xs[1...2]
-- expect
-- Error at D21_slice.fut:1:24-29:
-- Cannot unify [D21]
--   []integer
-- with
--   integer
--  1 | def f (xs: []i32) = xs[1...2]
--    |                        ^^^^^
-- help: a slice is `xs[i:j]`, without the element `j`; elements at several places are `map (\i -> xs[i]) is`
