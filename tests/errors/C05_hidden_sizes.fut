type~ r = {n: i64, xs: []f64}
def f [k] (r: r[k]) = k
entry main (n: i64) = f {n, xs = replicate n 0}
-- expect
-- Error at C05_hidden_sizes.fut:2:15-19:
-- Type constructor "r" requires 0 arguments, but provided 1 [C05]
--  2 | def f [k] (r: r[k]) = k
--    |               ^^^^
-- help: the type hides its sizes: `type r [n] = ..` is a type with a size as a parameter
