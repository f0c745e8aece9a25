def ones = [1i32] ++ ones
-- expect
-- Error at B13.fut:1:22-26:
-- Unknown name "ones": a constant cannot refer to itself [B13]
--  1 | def ones = [1i32] ++ ones
--    |                      ^^^^
