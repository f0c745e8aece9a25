entry e0 (x: i64) (ys: []f64) = map (+ f64.i64 (x + 0)) ys
entry e1 (x: i64) (ys: []f64) = map (+ f64.i64 (x + 1)) ys
