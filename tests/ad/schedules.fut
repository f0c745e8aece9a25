-- Loops with schedules of their own.
-- rule: loop.stripmine
-- ad: strip2 { 1.1 [1.1,0.3,0.4,0.7,0.2] 11i64 }
def strip2 [n] (x: f64, a: [n]f64, k: i64): f64 = #[stripmine(2)] loop s = x for i < k do f64.sin (s * a[i % n]) + s * 0.5

-- ad: strip3 { 1.1 [1.1,0.3,0.4,0.7,0.2] 11i64 }
def strip3 [n] (x: f64, a: [n]f64, k: i64): f64 = #[stripmine(3)] loop s = x for i < k do f64.sin (s * a[i % n]) + s * 0.5

-- ad: strip_none { 1.1 [1.1,0.3,0.4,0.7,0.2] 0i64 }
def strip_none [n] (x: f64, a: [n]f64, k: i64): f64 = #[stripmine(3)] loop s = x for i < k do f64.sin (s * a[i % n]) + s * 0.5

-- ad: strip_arrays { [1.1,0.3,0.4,0.7,0.2] }
def strip_arrays [n] (a: [n]f64): [n]f64 =
  #[stripmine(2)] loop xs = copy a for i < n - 1 do
    let xs = xs with [i] = f64.exp (0.3 * xs[i + 1])
    in xs with [i + 1] = xs[i] * xs[i + 1] * a[i]

-- ad: strip_while { 2.0 10i32 }
def strip_while (x: f64, n: i32): f64 = (#[stripmine(2)] loop (y, i) = (x, 0) while i < n && y < 100 do (y * x, i + 1)).0

-- ad: strip_grow { [1.0,2.0] 3i64 }
def strip_grow [n] (xs: [n]f64, k: i64): f64 =
  let ys = #[stripmine(2)] loop ys = xs for _i < k do ys ++ map (* 2) ys in f64.sum (map (\y -> y * y) ys)

-- The inner loop is not that of the attribute.
-- ad: strip_inner { 1.1 4i64 }
def strip_inner (x: f64, k: i64): f64 =
  #[stripmine(2)] loop s = x for i < k do
    let t = loop t = s for j < i do f64.sin (t * s) in s * t

-- rule: loop.binomial
-- ad: binomial1 { 1.1 [1.1,0.3,0.4,0.7,0.2] 7i64 }
def binomial1 [n] (x: f64, a: [n]f64, k: i64): f64 = #[checkpoint(1)] loop s = x for i < k do f64.sin (s * a[i % n]) + s * 0.5

-- ad: binomial3 { 1.1 [1.1,0.3,0.4,0.7,0.2] 11i64 }
def binomial3 [n] (x: f64, a: [n]f64, k: i64): f64 = #[checkpoint(3)] loop s = x for i < k do f64.sin (s * a[i % n]) + s * 0.5

-- ad: binomial_none { 1.1 [1.1,0.3,0.4,0.7,0.2] 0i64 }
def binomial_none [n] (x: f64, a: [n]f64, k: i64): f64 = #[checkpoint(3)] loop s = x for i < k do f64.sin (s * a[i % n]) + s * 0.5

-- ad: binomial_arrays { [1.1,0.3,0.4,0.7,0.2] }
def binomial_arrays [n] (a: [n]f64): [n]f64 =
  #[checkpoint(2)] loop xs = copy a for i < n - 1 do
    let xs = xs with [i] = f64.exp (0.3 * xs[i + 1])
    in xs with [i + 1] = xs[i] * xs[i + 1] * a[i]

-- ad: binomial_two { 1.1 0.4 6i64 }
def binomial_two (x: f64, y: f64, k: i64): f64 =
  let (s, t) = #[checkpoint(2)] loop (s, t) = (x, y) for i < k do (t * f64.sin s, s + t / f64.i64 (i + 1)) in s * t

-- The size of the state changes: every iteration is recorded.
-- ad: binomial_grow { [1.0,2.0] 3i64 }
def binomial_grow [n] (xs: [n]f64, k: i64): f64 =
  let ys = #[checkpoint(2)] loop ys = xs for _i < k do ys ++ map (* 2) ys in f64.sum (map (\y -> y * y) ys)

-- (Its second derivative records the steps of each thread, which differ in number.)
-- ad(cpu): binomial_inside { [1.1,0.4] 5i64 }
def binomial_inside [n] (xs: [n]f64, k: i64): f64 =
  f64.sum (map (\x -> #[checkpoint(2)] loop s = x for i < k do f64.sin (s * xs[i % n]) * x) xs)

-- rule: while.bound
-- ad: bounded { 2.0 10i32 }
def bounded (x: f64, n: i32): f64 = (#[bound(12)] loop (y, i) = (x, 0) while i < n && y < 100 do (y * x, i + 1)).0

-- ad: bounded_arrays { [1.1,1.3,0.4] }
def bounded_arrays [n] (xs: [n]f64): [n]f64 =
  (#[bound(9)] #[stripmine(2)] loop (ys, i) = (copy xs, 0) while i < 2 * n && ys[0] < 5 do (ys with [i % n] = ys[i % n] * f64.sum ys, i + 1)).0

-- What has a version for each number of levels under --ad-memory: the test derivatives_memory runs this file with it.
-- rule: loop.budget
-- ad: limited { 1.1 [1.1,0.3,0.4,0.7,0.2] 11i64 }
def limited [n] (x: f64, a: [n]f64, k: i64): f64 = loop s = x for i < k do f64.sin (s * a[i % n]) + s * 0.5

-- rule: loop.budget.levels
-- ad: limited_static { 1.1 }
def limited_static (x: f64): f64 = loop s = x for i < 23i64 do f64.sin (s * 1.1 + f64.i64 i)

-- ad: limited_none { 1.1 0i64 }
def limited_none (x: f64, k: i64): f64 = loop s = x for i < k do f64.sin (s * 1.1 + f64.i64 i)

-- ad: limited_rows { [1.1,0.3,0.4] 7i64 }
def limited_rows [n] (xs: [n]f64, k: i64): [n]f64 = loop xs = xs for i < k do map (\x -> f64.sin (x * xs[i % n])) xs

-- ad: limited_updates { [1.1,0.3,0.4] 7i64 }
def limited_updates [n] (xs: [n]f64, k: i64): [n]f64 = loop xs = copy xs for i < k do xs with [i % n] = f64.sin (xs[i % n] * xs[(i + 1) % n])

-- ad: limited_nest { 1.1 4i64 }
def limited_nest (x: f64, k: i64): f64 = loop s = x for i < k do f64.sin s * (loop t = s for j < k + i do f64.sin (t * s + 0.1))

-- ad: limited_inside { [1.1,0.4] 5i64 }
def limited_inside [n] (xs: [n]f64, k: i64): f64 =
  f64.sum (map (\x -> loop s = x for i < 12 do f64.sin (s * xs[i % n]) * loop t = s for _j < k do f64.sin (t * x)) xs)

-- ad: limited_while { 2.0 10i32 }
def limited_while (x: f64, n: i32): f64 = (loop (y, i) = (x, 0) while i < n && y < 100 do (y * x, i + 1)).0

-- ad: limited_grow { [1.0,2.0] 3i64 }
def limited_grow [n] (xs: [n]f64, k: i64): f64 =
  let ys = loop ys = xs for _i < k do ys ++ map (* 2) ys in f64.sum (map (\y -> y * y) ys)
