def f (x: f64, y: f64) =
  let v0 = x let v1 = y
  let v2 = f64.sin v1 * 0.5 + v0
  let v3 = f64.sin v2 * 0.5 + v1
  let v4 = f64.sin v3 * 0.5 + v2
  let v5 = f64.sin v4 * 0.5 + v3
  let v6 = f64.sin v5 * 0.5 + v4
  let v7 = f64.sin v6 * 0.5 + v5
  let v8 = f64.sin v7 * 0.5 + v6
  let v9 = f64.sin v8 * 0.5 + v7
  in v9
entry main (x: f64) (y: f64) = vjp f (x, y) 1
