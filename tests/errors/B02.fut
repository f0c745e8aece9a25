def f (x: foo) = x
-- expect
-- Error at B02.fut:1:11-13:
-- Unknown type "foo" [B02]
--  1 | def f (x: foo) = x
--    |           ^^^
