type r = {a0: f64, a1: f64}
entry main (x: f64) = let r0: r = {a0 = x, a1 = x}
  let r1 = r0 with a0 = r0.a0 + 1
  let r2 = r1 with a1 = r1.a1 + 1
  in r2.a0 + r2.a1
