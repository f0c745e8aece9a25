entry main (x: i64) =
  let f0 = \y -> y + x
  let f1 = \y -> f0 (y + 1)
  in f1 1
