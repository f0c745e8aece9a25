-- What is summed up and only used by further kernels is read by them; the CPU reads the results.
-- run: scaled < [1.0, 2.0, 3.0, 4.0]
-- run: softmax < [1.0, 2.0, 3.0, 4.0]
entry scaled [n] (xs: [n]f64): [n]f64 =
  let s = f64.sqrt (f64.sum (map (\x -> x * x) xs))
  in map (/ s) xs
entry softmax [n] (xs: [n]f64): [n]f64 =
  let m = f64.maximum xs
  let es = map (\x -> f64.exp (x - m)) xs
  let s = f64.sum es
  in map (/ s) es
-- run: deviation < [1.0, 2.0, 3.0, 4.0]
entry deviation [n] (xs: [n]f64): f64 =
  let mean = f64.sum xs / f64.i64 n
  let largest = f64.maximum (map (\x -> f64.abs (x - mean)) xs)
  in f64.sqrt (f64.sum (map (\x -> (x - mean) ** 2) xs)) / largest
-- A number that a loop hands on: no iteration waits for it.
-- run: damped < [1.0, 2.0, 3.0, 4.0]
entry damped [n] (xs: [n]f64): [n]f64 =
  (loop (ys, s) = (xs, f64.sum xs) for _i < 5 do
     let zs = map (\y -> y - s / 16) ys
     let t = f64.sum (map (\z -> z * z) zs)
     in (map (* (t / (s + t))) zs, t)).0
