entry main (xs: []f64) = vjp (\xs -> reduce (+) 0 (map (\x -> x*x) xs)) xs 1
