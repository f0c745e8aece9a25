-- What `dev --explain-ad` has words for: places that data says, seeds that are zero or zero outside a band, a budget.
entry gather [n][m] (a: [n]f64) (is: [m]i64): [n]f64 = vjp (\a -> f64.sum (map (\i -> f64.sin a[i]) is)) a 1

entry near [n] (a: [n]f64): [n]f64 = vjp (\a -> f64.sum (map (\i -> f64.sin (a[i] * a[(i + 1) % n])) (iota n))) a 1

entry unused [n] (x: [n]f64): [n]f64 =
  vjp (\x -> (map f64.exp x, map f64.sin x)) x (replicate n 1, replicate n 0)

-- Sums of rows of a Jacobian, of which each seed takes some neighbours.
entry band [n] (x: [n]f64): [n]f64 =
  let f [n] (x: [n]f64) = map (\v -> f64.sin v * v) x
  in map (\i -> f64.sum (vjp f x (tabulate n (\j -> if i64.abs (i - j) <= 2 then 1 else 0)))) (iota n)

-- The diagonal of a Jacobian.
entry diagonal [n] (x: [n]f64): [n]f64 =
  tabulate n (\i -> (vjp (map (\v -> f64.sin v * v)) x (replicate n 0 with [i] = 1))[i])

entry walk (x: f64): f64 = vjp (\x -> loop s = x for i < 1000i64 do f64.sin (s * 1.1 + f64.i64 i)) x 1
