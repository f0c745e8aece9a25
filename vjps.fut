def f (x: f64) = x * x * f64.sin x
def f0 (x: f64) = vjp f x 1
def f1 (x: f64) = vjp f0 x 1
def f2 (x: f64) = vjp f1 x 1
def f3 (x: f64) = vjp f2 x 1
def f4 (x: f64) = vjp f3 x 1
def f5 (x: f64) = vjp f4 x 1
entry main (x: f64) = f5 x
