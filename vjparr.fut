def f [n] (x: [n]f64) = f64.sum (map2 (*) x (scan (+) 0 (map f64.sin x)))
def f0 [n] (x: [n]f64) = f64.sum (vjp f x 1)
def f1 [n] (x: [n]f64) = f64.sum (vjp f0 x 1)
def f2 [n] (x: [n]f64) = f64.sum (vjp f1 x 1)
def f3 [n] (x: [n]f64) = f64.sum (vjp f2 x 1)
entry main (x: []f64) = f3 x
