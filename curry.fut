def f (x0: i64) (x1: i64) = x0 + x1
entry main (y: i64) = f (y + 0) (y + 1)
