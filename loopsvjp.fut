def f (n: i64) (x: f64) = f64.sin a-1 * 0.5 + 1
entry main (x: f64) (n: i64) = vjp (f n) x 1
