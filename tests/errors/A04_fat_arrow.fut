def f xs = map (\x => x + 1) xs
-- expect
-- Error at A04_fat_arrow.fut:1:20-22:
-- Unexpected token: `=>`, expected `->` before the body of the function [A04]
--  1 | def f xs = map (\x => x + 1) xs
--    |                    ^^
-- help: the arrow is `->`
