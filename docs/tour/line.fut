-- A line through points: the gradient of the loss, and a thousand steps against it.
def loss [n] (xs: [n]f64) (ys: [n]f64) (a: f64, b: f64): f64 =
  f64.sum (map2 (\x y -> (a * x + b - y) ** 2) xs ys) / f64.i64 n

def gradient [n] (xs: [n]f64) (ys: [n]f64) (a: f64, b: f64): (f64, f64) =
  vjp (loss xs ys) (a, b) 1

entry main [n] (xs: [n]f64) (ys: [n]f64): (f64, f64) =
  loop (a, b) = (0, 0) for _i < 1000 do
    let (da, db) = gradient xs ys (a, b)
    in (a - 0.1 * da, b - 0.1 * db)
