-- The gradient of a scan over pairs, in parallel: long enough for many parts, with a free variable of the operator, and nested.

def affine [n] (w: f64) (xs: [n]f64) (ys: [n]f64): f64 =
  let (as, bs) = unzip (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip (map (* w) xs) ys))
  in f64.sum (map2 (\a b -> f64.sin a + b * b / 100) as bs)

def values (n: i64) = (tabulate n (\i -> 0.6 + 0.001 * f64.i64 (i % 400)), tabulate n (\i -> f64.cos (f64.i64 i)))

-- ==
-- entry: gradient
-- input { 5i64 } output { true }
-- input { 1i64 } output { true }
-- input { 40000i64 } output { true }
-- input { 0i64 } output { true }
entry gradient (n: i64): bool =
  let (xs, ys) = values n
  let (dw, dxs, dys) = vjp (\(w, xs, ys) -> affine w xs ys) (0.9, xs, ys) 1
  let along = jvp (\(w, xs, ys) -> affine w xs ys) (0.9, xs, ys) (0.5, map (* 2) ys, map f64.sin xs)
  let back = dw * 0.5 + f64.sum (map2 (*) dxs (map (* 2) ys)) + f64.sum (map2 (*) dys (map f64.sin xs))
  in f64.abs (along - back) <= 1e-9 * (1 + f64.abs along)

-- ==
-- entry: rows
-- input { 30i64 50i64 } output { true }
entry rows (n: i64) (m: i64): bool =
  let (xs, ys) = values (n * m)
  let f (w, xs: [n][m]f64, ys: [n][m]f64) = f64.sum (map2 (affine w) xs ys)
  let (xs, ys) = (unflatten xs, unflatten ys)
  let (dw, dxs, dys) = vjp f (0.9, xs, ys) 1
  let along = jvp f (0.9, xs, ys) (0.5, ys, xs)
  let back = dw * 0.5 + f64.sum (flatten (map2 (map2 (*)) dxs ys)) + f64.sum (flatten (map2 (map2 (*)) dys xs))
  in f64.abs (along - back) <= 1e-9 * (1 + f64.abs along)
