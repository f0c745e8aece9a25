def f {_a} = 1i32
-- expect
-- Error at D39.fut:1:8-10:
-- Underscore-prefixed fields are not allowed: did you mean `_a = _`? [D39]
--  1 | def f {_a} = 1i32
--    |        ^^
