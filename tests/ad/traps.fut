-- What existing systems get wrong, and sizes 0, 1, 2.
-- ad: result_twice { 2.0 }
def result_twice (x: f64) = let y = x * x in (y, y)

-- ad: param_direct { 2.0 }
def param_direct (x: f64) = (x, 1f64, x * 2)

-- rule: map.plain
-- ad: same_array_twice { [1.0, 2.0] }
def same_array_twice (xs: []f64) = map2 (\a b -> a * a * b) xs xs

-- rule: map.free_array
-- ad: input_and_free { [1.0, 2.0] }
def input_and_free [n] (xs: [n]f64) = map (\a -> a * xs[0] * f64.sum xs) xs

-- rule: array.concat
-- ad: concat_same { [1.0, 2.0] }
def concat_same (xs: []f64) = map (** 2) (concat xs xs)

-- ad: pair_same { [1.0, 2.0] }
def pair_same (xs: []f64) = (xs, xs)

-- rule: if.swap
-- ad: branches_swap { [1.0, 2.0] [3.0, 4.0] true }
def branches_swap [n] (xs: [n]f64, ys: [n]f64, c: bool) =
  let a = map (* 2) xs
  let b = map f64.sin ys
  let (p, q) = if c then (a, b) else (b, a)
  let p = copy p with [0] = q[1] * p[0]
  let q = copy q with [1] = p[0] * q[1]
  in (p, q)

-- rule: loop.record
-- ad: loop_swaps { [1.0, 2.0] [3.0, 4.0] 3i64 }
def loop_swaps [n] (xs: [n]f64, ys: [n]f64, k: i64) =
  loop (p, q) = (copy xs, copy ys) for i < k do (q, p with [i % n] = p[0] * q[1])

-- States that move on while what the first one starts with comes of updates: their adjoints share memory at different times.
-- rule: loop.record
-- ad: states_move_on { 1.5 [1.0, 2.0] [[2.0, 3.0], [0.5, 0.7], [0.2, 0.3]] 3i64 }
-- ad: states_move_on { 1.5 [1.0, 2.0] [[2.0, 3.0], [0.5, 0.7], [0.2, 0.3]] 1i64 }
def states_move_on [n] [m] (x: f64, b: [m]f64, c: [n][m]f64, k: i64) =
  let updated = loop c = copy c for i < n do c with [i, 0] = x * c[i, 1]
  in (loop (p, q) = (c, updated) for _i < k do (q, replicate n b)).0

-- rule: loop.record
-- ad: states_move_twice { 1.5 [1.0, 2.0] 3i64 }
-- ad: states_move_twice { 1.5 [1.0, 2.0] 2i64 }
def states_move_twice [m] (x: f64, b: [m]f64, k: i64) =
  let updated = #[stripmine(3)] loop c = copy b for i < 3 do loop c for j < i do c with [j % m] = x
  in (loop (p, q) = (updated, replicate m x) for _i < k do (q, b)).0

-- ad: narrow_index { 1.1 5i32 }
def narrow_index (x: f64, n: i32) = loop y = x for i < u8.i32 n do y * x + f64.u8 i

-- ad: bound_is_state { 1.1 3i64 }
def bound_is_state (x: f64, n: i64) =
  let (y, _) = loop (y, n) = (x, n) for i < n do (y * x + f64.i64 n, n + i) in y

-- rule: loop.record
-- ad: index_is_state { [1.0, 2.0, 3.0] }
def index_is_state [n] (xs: [n]f64) =
  (loop (s, j) = (1f64, 0i64) for _i < 5i64 do (s * xs[j] + xs[j], (j * 2 + 1) % n)).0

-- rule: reduce.mul
-- ad: negative_zero { [-0.0, 2.0, 3.0] }
def negative_zero (xs: []f64) = f64.product xs

-- rule: reduce.mul
-- ad: product_underflows { [1.1, 0.9, 1.2] }
def product_underflows (xs: [3]f64) =
  f64.product [xs[0] * 1e-200, xs[1] * 1e-200, xs[2] * 1e200] + xs[0]

-- ad: consumed_argument { [2.0, 1.0] }
def consumes_arg (xs: *[]f64) = xs with [0] = xs[1] * xs[0]
def consumed_argument [n] (xs: [n]f64) = consumes_arg (copy xs)

-- ad: no_iteration { [2.0, 1.0] }
def no_iteration [n] (xs: [n]f64) =
  loop ys = copy xs for i < n - 2 do ys with [i] = ys[i + 1] * ys[i]

-- ad: negative_iterations { [2.0, 1.0] }
def negative_iterations [n] (xs: [n]f64) =
  loop ys = copy xs for i < n - 5 do ys with [i] = ys[i + 1] * ys[i]

-- rule: scan.sequential
-- ad: affine_pairs { [2.0, 1.0, 3.0] }
def affine_pairs (xs: []f64) =
  unzip (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip xs (map f64.sin xs)))

-- rule: scan.scalar
-- ad: scan_with_variable { [2.0, 1.0, 3.0] 0.7 }
def scan_with_variable (xs: []f64, w: f64) = scan (\a b -> a + b + w * a * b) 0 xs

-- rule: reduce.general
-- ad: reduce_with_variable { [2.0, 1.0, 3.0] 0.7 }
def reduce_with_variable (xs: []f64, w: f64) = reduce (\a b -> a + b + w * a * b) 0 xs

-- ad: reduce_with_free_array { [2.0, 1.0, 3.0] [0.7, 0.2] }
def reduce_with_free_array (xs: []f64, w: []f64) = reduce (\a b -> a + b + f64.sum w * a * b) 0 xs

-- ad: scan_with_free_array { [2.0, 1.0, 3.0] [0.7, 0.2] }
def scan_with_free_array (xs: []f64, w: []f64) = scan (\a b -> a + b + w[0] * w[1] * a * b) 0 xs

-- rule: reduce.general
-- ad: matrices { [[1.0, 2.0, 0.5, 1.0], [1.0, 0.2, 0.3, 1.1], [0.1, 0.4, 0.2, 0.6]] }
def matrices (xs: [][4]f64) =
  let mul (a: [4]f64) (b: [4]f64): [4]f64 =
    [a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
     a[2] * b[1] + a[3] * b[3]]
  in (reduce mul [1, 0, 0, 1] xs, scan mul [1, 0, 0, 1] xs)

-- ad: log_sum_exp { [1.0, 2.0, 0.5] }
def log_sum_exp (xs: []f64) =
  let (m, s) =
    reduce
      (\(m1, s1) (m2, s2) ->
         let m = f64.max m1 m2 in (m, s1 * f64.exp (m1 - m) + s2 * f64.exp (m2 - m))) (-1e300, 0)
      (map (\x -> (x, 1)) xs)
  in m + f64.log s

-- rule: reduce.select
-- ad: argument_of_minimum { [1.0, 0.3, 0.5] }
def argument_of_minimum [n] (xs: [n]f64) =
  let (v, i) =
    reduce (\(a, i) (b, j) -> if a <= b then (a, i) else (b, j)) (f64.inf, -1) (zip xs (iota n))
  in v * xs[i]

-- rule: reduce.select
-- ad: best_of_rows { [1.0, 0.3, 0.5, 0.4] [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]] }
def best_of_rows [n] (keys: [n]f64, rows: [n][2]f64) =
  let pick (k, i, r) (l, j, s) = if k < l || (k == l && i < j) then (k, i, r) else if i == -1 then (l, j, s) else (l, j, s)
  let (k, i, r) = reduce pick (f64.inf, -1, [0.5, 0.25]) (zip3 (map (\x -> x * x) keys) (iota n) (map (map f64.sin) rows))
  in (k * r[0], r[1] * f64.i64 i)

-- rule: reduce.select
-- ad: nothing_selected { empty([0]f64) }
def nothing_selected [n] (xs: [n]f64) =
  let (v, i) = reduce (\(a, i) (b, j) -> if a <= b then (a, i) else (b, j)) (10, -1) (zip xs (iota n))
  in if i < 0 then v else v * xs[i]

-- ad: segments { [1.0, 0.3, 0.5, 2.0] [true, false, true, false] }
def segments [n] (xs: [n]f64, fs: [n]bool) =
  (unzip (scan (\(a, f) (b, g) -> (if g then b else a * b, f || g)) (1, false) (zip xs fs))).0

-- ad: scan_maximum { [1.0, 0.3, 1.5, 2.0] }
def scan_maximum (xs: []f64) = scan f64.max (-f64.inf) xs

-- rule: scan.scalar
-- ad: scan_product_zero { [1.0, 0.0, 1.5, 2.0] }
def scan_product_zero (xs: []f64) = scan (*) 1 xs

-- rule: scan.rows
-- ad: scan_of_rows { [[1.0, 0.3], [1.5, 2.0]] }
def scan_of_rows [n] (xs: [n][2]f64) = scan (map2 (*)) [1, 1] xs

-- ad: none { empty([0]f64) }
def none (xs: []f64) = (scan (*) 1 xs, reduce (*) 1 xs, reduce f64.max 3 xs, f64.sum xs)

-- ad: one { [2.0] }
def one (xs: []f64) =
  (scan (*) 1 xs, reduce (*) 1 xs, reduce f64.max (-f64.inf) xs, f64.sum xs, f64.minimum xs,
   reduce (\a b -> a + b + a * b) 0 xs, scan (\a b -> a + b + a * b) 0 xs)

-- ad: two { [2.0, 3.0] }
def two (xs: []f64) =
  (scan (*) 1 xs, reduce (*) 1 xs, reduce f64.max (-f64.inf) xs, f64.sum xs, f64.minimum xs,
   reduce (\a b -> a + b + a * b) 0 xs, scan (\a b -> a + b + a * b) 0 xs)

-- rule: scalar.unused
-- ad: unused_branch { [0.0, 0.5] }
def unused_branch (xs: []f64) = map (\x -> let y = x * f64.log x in if x > 0.1 then y else 2 * x) xs

-- ad: unused_element { [0.0, 2.0, 0.0] }
def unused_element (xs: []f64) = (map f64.log xs)[1] * xs[0]

-- ad: unused_length { [0.0, 0.0] }
def unused_length (xs: []f64) = let d = f64.sqrt (f64.sum (map (** 2) xs)) in if d == 0 then 0 else d

-- rule: scalar.constant
-- ad: constant_chosen { [-1.0, 0.5] }
def constant_chosen (xs: []f64) =
  (map (\x -> f64.sqrt (f64.max x 0 * 0.25) + x) xs, map (\x -> let y = f64.log (f64.max x 0) in if y < -100 then 0 else y) xs)

-- ad: constant_edges { [-3.0, 0.25, 4.0] }
def constant_edges (xs: []f64) =
  let cut x = f64.max (-1) (f64.min 1 x)
  in (map (f64.asin <-< cut) xs, map (f64.acos <-< cut) xs, map (f64.cbrt <-< f64.max 0.25 <-< f64.min 0) xs,
      map (\x -> f64.max x 0 ** 0.5) xs, map (\x -> let y = f64.atanh (cut x) in if y > 100 || y < -100 then 0 else y) xs,
      map (\x -> let y = 1 / f64.max x 0 in if y > 100 then 0 else y) xs)

-- ad: constant_branch { [-1.0, 2.0] }
def constant_branch (xs: []f64) = map (\x -> f64.sqrt (if x > 0 then x * x else 0) + x) xs

-- ad: constant_start { [1.0, 2.0, 3.0] }
def constant_start (xs: []f64) = loop s = 0 for x in xs do f64.sqrt s + x

-- ad: constant_elements { [1.0, 2.0, 3.0] [0i64, 2i64, 2i64] }
def constant_elements [n] (xs: [n]f64, is: [n]i64) =
  (map f64.sqrt (reduce_by_index (replicate n 0) f64.max 0 is xs), map f64.sqrt (scatter (replicate (n + 1) 0) (take 2 is) (take 2 xs)),
   map f64.sqrt (replicate n 0 with [1] = xs[0]), f64.sum (map f64.sqrt ([0] ++ scan (+) 0 xs)))

-- ad: constant_call { 5i64 -0.5 }
#[noinline] def root_of (x: f64) (y: f64): f64 = f64.sqrt x + y
def constant_call (k: i64, x: f64) = loop y = x for _i < k do root_of (f64.max y 0) (y + 0.3)

-- A variance that may not be negative, in full truncation.
-- ad: constant_variance { 0.04 0.3 [-2.0, 1.5, -3.0, 0.5] }
def constant_variance (v: f64, xi: f64, zs: []f64) =
  let dt = 0.25
  in loop (s, v) = (1, v) for z in zs do
       let root = f64.sqrt (f64.max v 0 * dt)
       in (s * f64.exp (root * z - v * dt / 2), v + (0.04 - f64.max v 0) * dt + xi * 3 * root * z)

-- A row by two names, of which the second comes with a check, each with an adjoint.
-- ad: two_names { 0.5 [[0.1, 0.2], [0.3, 0.4]] 1i64 }
def two_names [n][m] (x: f64, c: [n][m]f64, k: i64): [n][m]f64 =
  copy (replicate n (replicate m x)) with [2 % n] = copy (map (\_ -> replicate m x) c)[k]
