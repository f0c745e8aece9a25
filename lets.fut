entry main (x: f64) (y: f64) =
  let v0 = x let v1 = y
  let v2 = v1 * 0.5 + v0
  let v3 = v2 * 0.5 + v1
  let v4 = v3 * 0.5 + v2
  let v5 = v4 * 0.5 + v3
  let v6 = v5 * 0.5 + v4
  let v7 = v6 * 0.5 + v5
  let v8 = v7 * 0.5 + v6
  let v9 = v8 * 0.5 + v7
  in v9
