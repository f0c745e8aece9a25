def x = m.y
-- expect
-- Error at B03_1.fut:1:9-12:
-- Unknown name "m.y": there is no module `m` [B03]
--  1 | def x = m.y
--    |         ^^^
