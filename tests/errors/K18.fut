-- with: command=c
def double (x: i32) = x * 2
-- expect
-- Warning at K18.fut:2:1-28:
--   The program has no entry points, so there is nothing to run [K18]
--    2 | def double (x: i32) = x * 2
--      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   help: begin a definition with `entry` instead of `def`, or call it `main`
