-- A sum over chosen elements, and its derivative by every element.
def energy [n] [m] (is: [m]i64) (xs: [n]f64): f64 =
  f64.sum (map (\i -> xs[i] * xs[i]) is)

entry forces [n] [m] (is: [m]i64) (xs: [n]f64): [n]f64 = vjp (energy is) xs 1
