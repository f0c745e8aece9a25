def sum (val: i32, include: i32) = val

def include (xs: []i32) = xs

type bounds = {from: i32, while: i32}

def low (r: bounds) = r.for + r.from

def first [open] (xs: [open]i32) = xs[0]

def with_none r = r with local = 0
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
--
-- Error at A04_word.fut:5:27-32:
-- Unexpected token: `while`, expected the name of a field [A04]
--  5 | type bounds = {from: i32, while: i32}
--    |                           ^^^^^
-- help: `while` is a word of the language and names nothing else
--
-- Error at A04_word.fut:7:25-28:
-- Unexpected token: `for`, expected the name of a field [A04]
--  7 | def low (r: bounds) = r.for + r.from
--    |                         ^^^
-- help: `for` is a word of the language and names nothing else
--
-- Error at A04_word.fut:9:12-16:
-- Unexpected token: `open`, expected a name of the parameter [A04]
--  9 | def first [open] (xs: [open]i32) = xs[0]
--    |            ^^^^
-- help: `open` is a word of the language and names nothing else
--
-- Error at A04_word.fut:11:26-31:
-- Unexpected token: `local`, expected an index or a field to update [A04]
--  11 | def with_none r = r with local = 0
--     |                          ^^^^^
-- help: `local` is a word of the language and names nothing else
