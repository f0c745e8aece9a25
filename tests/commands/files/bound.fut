-- A loop that ends in n iterations, and says that it does in 4.
entry main (n: i32): f64 = vjp (\x -> (#[bound(4)] loop (y, i) = (x, 0) while i < n do (y * x, i + 1)).0) 2 1
