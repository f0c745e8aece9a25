type sample = {int: i32, for: f64}

def first (float: f32) = {int = 1i32, in = float}
-- expect
-- Error at A04_field_word.fut:1:26-29:
-- Unexpected token: `for`, expected the name of a field [A04]
--  1 | type sample = {int: i32, for: f64}
--    |                          ^^^
-- help: `for` is a word of the language and names nothing else
--
-- Error at A04_field_word.fut:3:39-41:
-- Unexpected token: `in`, expected the name of a field [A04]
--  3 | def first (float: f32) = {int = 1i32, in = float}
--    |                                       ^^
-- help: `in` is a word of the language and names nothing else
