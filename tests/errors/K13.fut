def f (x: #a | #b) = match x case _ -> 1i32 case #a -> 2
-- expect
-- Warning at K13.fut:1:50-52:
--   This case is never reached: the cases before it match every value of it [K13]
--    1 | def f (x: #a | #b) = match x case _ -> 1i32 case #a -> 2
--      |                                                  ^^
