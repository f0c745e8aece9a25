def sum (val: i32, include: i32) = val

def include (xs: []i32) = xs
-- expect
-- Error at A04_word.fut:1:10-13:
-- Unexpected token: `val`, expected a pattern [A04]
--  1 | def sum (val: i32, include: i32) = val
--    |          ^^^
-- help: `val` is a word of the language and names nothing else
--
-- Error at A04_word.fut:3:5-12:
-- Unexpected token: `include`, expected a pattern [A04]
--  3 | def include (xs: []i32) = xs
--    |     ^^^^^^^
-- help: `include` is a word of the language and names nothing else
