-- Loops that end on a condition, and loops whose arrays change their shape.
-- rule: while.inspect
-- ad: while1 { 2.0 10i32 }
def while1 (x: f64, n: i32): f64 = (loop (y, i) = (x, 0) while i < n && y < 100 do (y * x, i + 1)).0

-- ad: while_arr { [2.0, 1.5] }
def while_arr [n] (xs: [n]f64): [n]f64 = loop xs while n > 0 && f64.sum xs < 50 do map (\x -> x * 1.5 + f64.sin x) xs

-- ad: newton { 2.0 }
def newton (a: f64): f64 =
  (loop (x, d) = (a, 1) while f64.abs d > 1e-12 do let x' = (x + a / x) / 2 in (x', x' - x)).0

-- rule: loop.shape
-- ad: grow { [1.0,2.0] 3i64 }
def grow [n] (xs: [n]f64, k: i64): f64 =
  let ys = loop ys = xs for _i < k do ys ++ map (*2) ys in f64.sum (map (\y -> y * y) ys)

-- ad: wh_upd { [1.1,1.3,0.4] }
def wh_upd [n] (xs: [n]f64): [n]f64 =
  (loop (ys, i) = (copy xs, 0) while i < n && ys[i] < 5 do (ys with [i] = ys[i] * f64.sum ys, i + 1)).0

-- ad: wh_grow { [1.1,1.3] }
def wh_grow [n] (xs: [n]f64): f64 =
  let ys = loop ys = xs while length ys < 20 do ys ++ map (* xs[0]) ys in f64.sum (map (\y -> y * y) ys)

-- ad: halve { [1.1,1.3,0.2,0.7,0.1] }
def halve [n] (xs: [n]f64): f64 =
  let ys = loop ys = xs while length ys > 1 do let m = (length ys + 1) / 2 in map (\i -> if i + m < length ys then ys[i] * ys[i + m] + ys[i] else ys[i]) (iota m) in ys[0]

-- ad: filtloop { [1.1,1.3,0.2,0.7,2.1] }
def filtloop [n] (xs: [n]f64): f64 =
  let (s, _) = loop (s, ys) = (0, xs) for i < 3i32 do (s + f64.sum (map (\y -> y * y) ys), map (* 0.9) (filter (> f64.i32 i * 0.5) ys)) in s

-- ad: grow2d { [[1.1,1.3],[0.2,0.7]] 2i64 }
def grow2d [n][m] (xs: [n][m]f64, k: i64): f64 =
  let ys = loop ys = xs for _i < k do ys ++ map (map f64.sin) ys in f64.sum (map f64.product ys)

-- ad: grow_two { [1.1,1.3] [0.2] 3i64 }
def grow_two [n][m] (xs: [n]f64, zs: [m]f64, k: i64): f64 =
  let (a, b) = loop (a, b) = (xs, zs) for i < k do (a ++ map (* a[0]) b, b ++ [f64.sum a * f64.i64 i]) in f64.sum a * f64.sum b

-- ad: grow_unread { [1.1,1.3] 3i64 }
def grow_unread [n] (xs: [n]f64, k: i64): f64 = f64.sum (loop a = xs for i < k do a ++ [xs[0] * xs[1] * f64.i64 i])

-- ad: grow_hess { [1.1,1.3] 2i64 }
def grow_hess [n] (xs: [n]f64, k: i64): [n]f64 =
  vjp (\(v: [n]f64) -> f64.product (loop a = v for _i < k do a ++ [f64.sum a])) xs 1

-- ad: wh_hess { 1.7 }
def wh_hess (a: f64): f64 =
  vjp (\a -> (loop (x, d) = (a, 1) while f64.abs d > 1e-10 do let x' = (x + a / x) / 2 in (x', x' - x)).0) a 1

-- ad: br_size { [1.1,1.3,0.4] true }
def br_size [n] (xs: [n]f64, b: bool): f64 =
  let ys = if b then xs ++ xs else map (* 2) xs in f64.sum (map (\y -> y ** 3) ys)
