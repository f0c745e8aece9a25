-- with: command=c
entry main (xs: []i32) (i: i64) = #[warn(safety_checks)] xs[i]
-- expect
-- Warning at K10.fut:2:58-63:
--   Safety check required at run-time: Index [{}] out of bounds for array of shape [{}]. [K10]
--    2 | entry main (xs: []i32) (i: i64) = #[warn(safety_checks)] xs[i]
--      |                                                          ^^^^^
