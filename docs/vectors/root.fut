-- root.fut - square roots by Newton's method: each element takes as many steps as it needs.
entry main [n] (xs: [n]f64): [n]f64 =
  map (\a -> loop x = a while f64.abs (x * x - a) > 1e-9 do 0.5 * (x + a / x)) xs
