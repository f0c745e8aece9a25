-- with: command=c
entry main (n: i64) = #[unroll] loop x = 1i32 for _i < n do x * 2
-- expect
-- Warning at K11.fut:2:33-66:
--   The loop cannot be unrolled: it has an unknown number of iterations [K11]
--    2 | entry main (n: i64) = #[unroll] loop x = 1i32 for _i < n do x * 2
--      |                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
