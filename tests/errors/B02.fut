def f (x: foo) = x
-- expect
-- Error at B02.fut:1:11-14:
-- Unknown type "foo" [B02]
--  1 | def f (x: foo) = x
--    |           ^^^
