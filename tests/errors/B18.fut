module m = intrinsics
-- expect
-- Error at B18.fut:1:12-22:
-- The `intrinsics` module may not be used in module expressions [B18]
--  1 | module m = intrinsics
--    |            ^^^^^^^^^^
