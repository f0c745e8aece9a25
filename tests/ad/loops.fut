-- Loops that end on a condition, and loops whose arrays change their shape.
-- rule: while.inspect
-- ad: counted { 1.3 3i32 }
-- ad: counted { 1.3 0i32 }
def counted (x: f64, n: i32): f64 = (loop (y, i) = (x, 0) while i < n do (f64.exp (f64.sin y) * x, i + 1)).0

-- What decides the end is most of the loop.
-- rule: while.enlarge
-- ad: while1 { 2.0 10i32 }
def while1 (x: f64, n: i32): f64 = (loop (y, i) = (x, 0) while i < n && y < 100 do (y * x, i + 1)).0

-- ad: while_arr { [2.0, 1.5] }
def while_arr [n] (xs: [n]f64): [n]f64 = loop xs while n > 0 && f64.sum xs < 50 do map (\x -> x * 1.5 + f64.sin x) xs

-- ad: newton { 2.0 }
def newton (a: f64): f64 =
  (loop (x, d) = (a, 1) while f64.abs d > 1e-12 do let x' = (x + a / x) / 2 in (x', x' - x)).0

-- No iteration, one, as many as there is room for, more.
-- rule: while.enlarge
-- ad: until { 1.3 -1.0 }
-- ad: until { 1.3 0.1 }
-- ad: until { 1.3 11.9 }
-- ad: until { 1.3 12.5 }
-- ad: until { 1.3 40.0 }
def until (x: f64, end: f64): f64 = (loop (t, x) = (0, x) while t < end do (t + 1 - f64.cos x / 2, x - f64.sin x / 3)).1

-- rule: while.enlarge
-- ad: until_rows { [[1.1, 0.3], [0.7, 0.2]] 4.0 }
def until_rows [n][m] (xs: [n][m]f64, end: f64): [n][m]f64 =
  (loop (t, xs) = (0, xs) while t < end do (t + 1 - f64.cos (f64.sum xs[0]) / 2, map (map (\x -> x - f64.sin x / 3)) xs)).1

-- Elements that updates overwrite, rows of them, two for each iteration in one of the branches.
-- rule: while.enlarge loop.undo
-- ad: until_still { [1.1, 1.3, 0.4, 0.7] }
def until_still [n] (b: [n]f64): [n]f64 =
  (loop (xs, d) = (copy b, 1) while d > 1e-2 do
     let x = xs[0] * 0.3 + f64.sin xs[n - 1] * 0.4
     let d = f64.abs (x - xs[0])
     in if x > 0.5 then (xs with [0] = x, d)
        else let xs = xs with [0] = x let xs = xs with [n - 1] = x * xs[1] in (xs, d)).0

-- ad: until_scaled { [[1.1, 1.3], [0.4, 0.7]] }
def until_scaled [n][m] (a: [n][m]f64): [n][m]f64 =
  (loop (xs, i) = (copy a, 0) while i < 3 && f64.sum xs[0] < 20 do (xs with [i % n] = map (\x -> x * 1.7 + f64.sin x) xs[i % n], i + 1)).0

-- Each place is written once.
-- rule: while.enlarge loop.once
-- ad: until_last { [1.1, 1.3, 0.4, 0.7] }
def until_last [n] (a: [n]f64): [n]f64 =
  (loop (xs, i) = (copy a, 0) while i < n - 1 && xs[i] < 3 do (xs with [i + 1] = f64.exp (xs[i] * a[i] * 0.4), i + 1)).0

-- Inside of each other, of a loop, a branch, a map; with a sum into an array around.
-- rule: while.enlarge
-- ad: until_until { 1.3 2.5 }
def until_until (x: f64, end: f64): f64 =
  (loop (t, x) = (0, x) while t < end do
     let (s, x) = loop (s, x) = (0, x) while s < 2 do (s + 1 - f64.cos x / 2, x - f64.sin x / 3)
     in (t + s / 2, x * 1.5)).1

-- ad: until_for { [1.1, 1.3, 0.4] 2.5 }
def until_for [n] (a: [n]f64, end: f64): [n]f64 =
  loop a = copy a for i < n do
    let (_, b) = loop (t, b) = (0, a) while t < end do
      let x = b[i] * 0.7 + f64.sin b[(i + 1) % n]
      in (t + 1 - f64.cos x / 2, b with [i] = x)
    in if b[i] > 0.9 then b else map (* 1.1) b

-- ad: until_branch { 1.3 3.0 true }
-- ad: until_branch { 1.3 3.0 false }
def until_branch (x: f64, end: f64, b: bool): f64 =
  let y = if b then (loop (t, x) = (0, x) while t < end do (t + 1 - f64.cos x / 2, x * f64.sin x)).1 else x * x in y * x

-- ad(cpu): until_map { [1.1, 1.3, 0.4] [-1.0, 30.0, 3.0] }
def until_map [n] (a: [n]f64, ends: [n]f64): [n]f64 =
  map2 (\x end -> (loop (t, x) = (0, x) while t < end do (t + 1 - f64.cos x / 2, x - f64.sin (x * a[0]) / 3)).1) a ends

-- ad: until_read { [1.1, 1.3, 0.4] 3.0 }
def until_read [n] (a: [n]f64, end: f64): f64 =
  (loop (t, i, x) = (0, 0, 1) while t < end do (t + 1 - f64.cos (x * a[i]) / 2, (i + 1) % n, x * f64.sin (a[i] + x))).2

-- A derivative inside of the loop, and the loop inside of a derivative.
-- ad: until_minimum { 1.3 }
def until_minimum (a: f64): f64 =
  (loop (x, d) = (0.5, 1) while f64.abs d > 1e-3 do let d = vjp (\x -> (x * x - a) ** 2) x 1 in (x - d / 20, d)).0

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

-- The return sweep reads row k and column k of step k.
-- rule: loop.record
-- ad: elimination { [[2.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 4.0]] }
def elimination [n] (a: [n][n]f64): f64 =
  let (_, d) = loop (a, d) = (a, 1) for k < n do
    (tabulate_2d n n (\i j -> if i > k then a[i, j] - a[i, k] / a[k, k] * a[k, j] else a[i, j]), d * a[k, k])
  in d

-- A map in a loop reads parts of the rows of a matrix. They add to the adjoint that the loop carries, and rows of zeros are not made.
-- rule: map.plain
-- ad: columns_in_turn { [[0.3, 0.9, 0.2], [0.5, -0.4, 0.7]] }
def columns_in_turn [n][m] (a: [n][m]f64): f64 =
  loop s = 0.5 for i < m do s * f64.sum (map (\row -> f64.sin (row[i] * s) + (if i > 0 then f64.sum row[:i] else row[m - 1])) a)

-- The rows are taken as a whole, too.
-- ad: columns_and_rows { [[0.3, 0.9, 0.2], [0.5, -0.4, 0.7]] [0.4, 0.2] }
def columns_and_rows [n][m] (a: [n][m]f64, w: [n]f64): f64 =
  loop s = 0.5 for i < m do s * f64.sum (map2 (\row v -> row[i] * v + s * f64.sum (map (* v) row)) a w)
