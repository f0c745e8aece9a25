entry main [n] (x: [n]f64) (s: [n]f64): [n]f64 =
  vjp (\x -> tabulate n (\i -> if i > 0 then x[i - 1] * x[i] else x[i])) x s
