def f = (\x -> x) == (\y -> y)
-- expect
-- Error at D37_2.fut:1:9-31:
-- The type () -> () does not support equality [D37]
--  1 | def f = (\x -> x) == (\y -> y)
--    |         ^^^^^^^^^^^^^^^^^^^^^^
