-- | A little of everything that derivatives have.
entry norm (xs: []f64): f64 = f64.sum (map (\x -> x * x) xs)

entry norm_vjp [n] (xs: [n]f64) (y: f64): [n]f64 = vjp (\xs -> f64.sum (map (\x -> x * x) xs)) xs y

entry norm_jvp [n] (xs: [n]f64) (dx: [n]f64): f64 =
  jvp (\xs -> f64.sum (map (\x -> x * x) xs)) xs dx

def f [n] (k: i64) (w: [n]f64) (b: f64) (xs: [n]f64): [n]f64 =
  map2 (\w x -> w * x ** f64.i64 k + b) w xs

entry layer [n] (k: i64) (p: {w: [n]f64, b: f64}) (xs: [n]f64): [n]f64 = f k p.w p.b xs

entry layer_vjp [n] (k: i64) (p: {w: [n]f64, b: f64}) (xs: [n]f64) (ys: [n]f64):
    {p: {w: [n]f64, b: f64}, xs: [n]f64} =
  let (w, b, xs) = vjp (\(w, b, xs) -> f k w b xs) (p.w, p.b, xs) ys in {p = {w, b}, xs}

entry wave [n] (xs: [n]f32): ([n]f32, i32) = (map f32.sin xs, i32.i64 n)

entry wave_jvp [n] (xs: [n]f32) (dx: [n]f32): ([n]f32, i32) =
  (map2 (\x d -> d * f32.cos x) xs dx, 0)

entry cube (x: f64): f64 = x * x * x
entry cube_vjp (x: f64) (y: f64): f64 = 3 * x * x * y
entry cube_vjp_vjp (x: f64) (y: f64) (z: f64): (f64, f64) = (6 * x * y * z, 3 * x * x * z)

entry positive (x: f64): f64 = assert (x > 0) x
entry positive_vjp (_x: f64) (y: f64): f64 = y

entry evens (xs: []f64): []f64 = map (.0) (filter (\(_, i) -> i % 2 == 0) (zip xs (indices xs)))

entry evens_vjp [n] (xs: [n]f64) (ys: []f64): [n]f64 =
  map (\i -> if i % 2 == 0 then ys[i / 2] else 0) (indices xs)

-- These have the names of derivatives and are none.
entry odd (x: f64): f64 = x
entry odd_vjp (x: f64): f64 = x
entry even (x: f64) (_n: i64): f64 = x
entry even_vjp (_x: f64) (_n: i64) (y: f64): f64 = y
