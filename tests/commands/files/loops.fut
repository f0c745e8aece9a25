entry main (n: i64) (x: f64): f64 = vjp (\x -> loop s = x for i < n do f64.sin (s * 1.1 + f64.i64 i)) x 1

entry fixed (x: f64): f64 = vjp (\x -> loop s = x for i < 1000i64 do f64.sin (s * 1.1 + f64.i64 i)) x 1

entry whole (x: f64): (f64, f64) = (vjp (\x -> x - f64.i64 (i64.f64 x)) x 1, jvp (\x -> x - f64.i64 (i64.f64 x)) x 1)

entry norm (x: [2]f64): [2]f64 = vjp (\x -> f64.sqrt (x[0] * x[0] + x[1] * x[1])) x 1

-- 2 where x is 0: the product of a zero and something finite has a derivative.
entry square (x: f64): f64 = jvp (\x -> vjp (\x -> x * x * f64.exp x) x 1) x 1

-- Each place is written once, from the row above.
entry rows [n][m] (start: [m]f64) (ass: [n][m]f64): [m]f64 =
  vjp (\start -> let xs = replicate (n + 1) start
                 let xs = loop xs = xs for i < n do loop xs = xs for j < m do xs with [i + 1, j] = f64.sin (ass[i, j] * xs[i, j])
                 in f64.sum xs[n]) start 1

-- A place is read before it is written.
entry later [n] (a: [n]f64): [n]f64 = vjp (\a -> loop xs = copy a for i < n - 1 do xs with [i] = f64.sin (xs[i + 1] * xs[i])) a a

entry root (a: f64): f64 =
  vjp (\a -> (loop (x, d) = (a, 1) while f64.abs d > 1e-12 do let y = (x + a / x) / 2 in (y, y - x)).0) a 1
