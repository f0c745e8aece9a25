entry main (x: f64): f64 = x * 1e-10
entry many (x: f64): (f64, f64) = let ys = map (\i -> x * 1e-10 * f64.i64 (i % 2)) (iota 200000) in (f64.maximum ys, ys[199999])
entry same (x: f64): f64 = x
entry positive (x: f64): bool = x > 0
