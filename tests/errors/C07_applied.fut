type vec [n] 'a = [n]a
def f [n] (v: (vec vec) [n] i32) = v
-- expect
-- Error at C07_applied.fut:2:15-24:
-- Type `(vec vec)` is not a type constructor [C07]
--  2 | def f [n] (v: (vec vec) [n] i32) = v
--    |               ^^^^^^^^^
