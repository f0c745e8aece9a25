def eat (p: *{a: []f32, b: []f32}) = p.a[0]
def go (v: *[]f32) = eat {a = v, b = v}
-- expect
-- Error at H11.fut:2:26-40:
-- Argument passed for consuming parameter is self-aliased: its components share memory [H11]
--  2 | def go (v: *[]f32) = eat {a = v, b = v}
--    |                          ^^^^^^^^^^^^^^
