def f (xs: *[]i32) : [2]i32 =
  let first (ys: []i32) : *[]i32 = if ys[0] > 0 then copy ys else xs
  in sized 2 (first [1, 2])
-- expect
-- Error at H08_captured.fut:2:36-69:
-- Unique-typed return value is aliased to "xs", which is not consumable [H08]
--  1 | def f (xs: *[]i32) : [2]i32 =
--    |        -- bound outside of this function
--  2 |   let first (ys: []i32) : *[]i32 = if ys[0] > 0 then copy ys else xs
--    |                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
-- help: return a copy: `copy xs`
