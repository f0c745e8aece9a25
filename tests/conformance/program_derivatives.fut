-- Derivatives of reductions, histograms, sums, records and updated arrays, both modes.
def grad [n] (f: [n]f64 -> f64) (x: [n]f64) = vjp f x 1

-- ==
-- entry: reductions
-- input { [3.0, 1.0, 3.0, 2.0] [0i64, 1i64, 0i64, 5i64] }
-- output { [1.0f64, 0.0f64, 0.0f64, 0.0f64] [0.0f64, 18.0f64, 0.0f64, 0.0f64] [0.0f64, 1.0f64, 0.0f64, 0.0f64] [10.0f64,
--   20.0f64, 10.0f64, 0.0f64] [10.0f64, 20.0f64, 0.0f64, 0.0f64] 128.0f64 }
entry reductions [n] (xs: [n]f64) (is: [n]i64) =
  (vjp f64.maximum xs 1, vjp f64.product (copy xs with [1] = 0) 1, vjp f64.minimum xs 1,
   vjp (\v -> hist (+) 0 2 is v) xs [10, 20],
   vjp (\v -> hist f64.max f64.lowest 2 is v) xs [10, 20],
   jvp (\v -> reduce (\a b -> a * b + a + b) 0 v) xs (replicate n 1))

-- ==
-- entry: sums
-- input { [0.5, -1.0, 2.0] } output { [3.0f64, -6.0f64, 1.25f64] [3.0f64, -6.0f64, 1.25f64] [3.0f64, -6.0f64, 1.25f64] }
entry sums [n] (xs: [n]f64) =
  let f (x: f64): #small f64 | #big f64 f64 = if x < 1 then #small (x * x) else #big x (1 / x)
  let g x = match f x case #small y -> 3 * y case #big a b -> a - b
  in (map (\x -> vjp g x 1) xs, map (\x -> jvp g x 1) xs, grad (\v -> f64.sum (map g v)) xs)

-- ==
-- entry: records
-- input { 2.0 3.0 } output { 3.0f64 2.0f64 6.0f64 6.0f64 6.0f64 3.0f64 }
entry records (a: f64) (b: f64) =
  let area {w, h} = w * h : f64
  let {h = dh, w = dw} = vjp area {w = a, h = b} 1
  let (v, {w = dw2, h = _}) = vjp2 area {w = a, h = b} 2
  let j = jvp2 area {w = a, h = b} {w = 1, h = 0}
  in (dw, dh, v, dw2, j.0, j.1)

-- ==
-- entry: consumed
-- input { [1.0, 2.0, 3.0] } output { 9.0f64 [9.0f64, 4.0f64, 2.0f64] 15.0f64 }
entry consumed [n] (xs: [n]f64) =
  let f xs =
    let ys = loop ys = copy xs for i < n - 1 do ys with [i + 1] = ys[i] * ys[i + 1] in f64.sum ys
  in (f xs, grad f xs, jvp f xs (replicate n 1))
