-- What is asserted of arrays, and verified under --ad-check.
entry order [n] (a: [n]f64) (order: [n]i64): [n]f64 =
  vjp (\a -> loop (#[true_dep] xs) = copy a for i < n - 1 do xs with [order[i + 1]] = f64.sin (xs[order[i]] * a[i])) a a

entry below [n] (a: [n]f64) (at: [n]i64): [n]f64 =
  vjp (\a -> loop (#[true_dep] xs) = copy a for i < n do xs with [i] = f64.sum (map (\k -> xs[k] * a[k]) at)) a a

entry scattered [n] (a: [n]f64) (at: [n]i64): [n]f64 = vjp (\a -> #[distinct] scatter (replicate n 0) at a) a a
