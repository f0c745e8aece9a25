entry main (x: f64) (y: f64) =
  let v0 = x let v1 = y
  in v1 + w1
