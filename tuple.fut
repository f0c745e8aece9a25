entry main (x: f64) = let t = (x + 0, x + 1) in t.0 + t.1
