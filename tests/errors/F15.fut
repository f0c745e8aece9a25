def scale ws k = map2 (*) ws (replicate k 2f32)
-- expect
-- Error at F15.fut:1:30-47:
-- Cannot link size "d0" to "k" (scope violation) [F15]
--  1 | def scale ws k = map2 (*) ws (replicate k 2f32)
--    |                              ^^^^^^^^^^^^^^^^^^
--    |           -- the size `d0` is left open here
-- note: in the argument of `map2`
-- note: expected: []f32
-- note: actual:   [k]f32
