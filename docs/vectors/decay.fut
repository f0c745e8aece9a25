-- Each row is a loop whose iterations wait for each other.
entry main [n] [m] (xss: [n][m]f64): [n]f64 = map (\xs -> loop s = 0 for x in xs do s * 0.9 + x) xss
