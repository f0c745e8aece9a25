-- The records of this loop grow where they are full.
entry main (x: f64) = vjp (\x -> loop y = x while y > 1 do y / 2 - 0.1 * f64.sin y) x 1
