def crop (lo: i64, hi: i64) (row: [hi]f64) = row[lo]
-- expect
-- Error at F09.fut:1:10-28:
-- Invalid use of parameters: the size `hi` is not visible to callers, because it is inside of a pattern; split the parameter [F09]
--  1 | def crop (lo: i64, hi: i64) (row: [hi]f64) = row[lo]
--    |          ^^^^^^^^^^^^^^^^^^
