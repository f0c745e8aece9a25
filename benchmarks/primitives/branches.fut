-- branches.fut - maps whose elements decide which functions are called, and maps that look up places which the program has computed.

-- A function for each side, and a gradient where one number has a value of its own.
-- ==
-- entry: sides
-- input { [1f64, -1f64, 0f64] } output { [2.718281828459045f64, 0.6931471805599453f64, 0f64] }
-- notest random input { [1000000]f64 }
entry sides [n] (xs: [n]f64): [n]f64 = map (\x -> if x > 0 then f64.exp x else f64.log (1 - x)) xs

-- ==
-- entry: sides_sum
-- input { [1f64, -1f64, 0f64] } output { 3.4114290090189903f64 }
-- notest random input { [1000000]f64 }
entry sides_sum [n] (xs: [n]f64): f64 = f64.sum (map (\x -> if x > 0 then f64.exp x else f64.log (1 - x)) xs)

-- ==
-- entry: sinc_gradient
-- input { [0f64, 1f64] } output { [0f64, -0.3011686789397568f64] }
-- notest random input { [1000000]f64 }
entry sinc_gradient [n] (xs: [n]f64): [n]f64 = vjp (\xs -> f64.sum (map (\x -> if x == 0 then 1 else f64.sin x / x) xs)) xs 1

-- Prices of calls by the characteristic function of their logarithm (Heston), in complex numbers.
type complex = (f64, f64)
def plus ((a, b): complex) ((c, d): complex): complex = (a + c, b + d)
def minus ((a, b): complex) ((c, d): complex): complex = (a - c, b - d)
def times ((a, b): complex) ((c, d): complex): complex = (a * c - b * d, a * d + b * c)
def over ((a, b): complex) ((c, d): complex): complex = let r = c * c + d * d in ((a * c + b * d) / r, (b * c - a * d) / r)
def exp ((a, b): complex): complex = (f64.exp a * f64.cos b, f64.exp a * f64.sin b)
def log ((a, b): complex): complex = (0.5 * f64.log (a * a + b * b), f64.atan2 b a)
def root ((a, b): complex): complex =
  let u = f64.sqrt (0.5 * (f64.sqrt (a * a + b * b) + a))
  in (u, if u == 0 then 0 else b / (2 * u))
def real (a: f64): complex = (a, 0)
def characteristic (u: complex) (t: f64) (k: f64) (level: f64) (s: f64) (rho: f64) (v: f64): complex =
  let iu = times (0, 1) u
  let b = minus (real k) (times (real (rho * s)) iu)
  let d = root (plus (times b b) (times (real (s * s)) (plus iu (times u u))))
  let g = over (minus b d) (plus b d)
  let e = exp (times (real (-t)) d)
  let ge = minus (real 1) (times g e)
  let drift = minus (times (real t) (minus b d)) (times (real 2) (log (over ge (minus (real 1) g))))
  let variance = times (minus b d) (over (minus (real 1) e) ge)
  in exp (plus (times (real (k * level / (s * s))) drift) (times (real (v / (s * s))) variance))
def price (k: f64) (level: f64) (s: f64) (rho: f64) (v: f64) (t: f64) (strike: f64): f64 =
  let x = f64.log (1 / strike)
  let term i =
    let u = (f64.i64 i + 0.5) * 0.5
    in (times (exp (0, u * x)) (characteristic (u, -0.5) t k level s rho v)).0 / (u * u + 0.25)
  in 1 - f64.sqrt strike / f64.pi * 0.5 * f64.sum (tabulate 200 term)

-- ==
-- entry: heston
-- input { [1f64] } output { [1.650666996727035e-2f64] }
-- notest random input { [400]f64 }
entry heston [n] (strikes: [n]f64): [n]f64 = map (price 2 0.04 0.3 (-0.7) 0.04 1) (map (\x -> 0.8 + 0.4 * f64.abs x) strikes)

-- ==
-- entry: heston_gradient
-- input { [1f64] } output { [2.122618983064235e-3f64, 0.3929811363548581f64, -2.7561867660378478e-2f64, 1.4592383838029412e-2f64, 0.2626867112880404f64] }
-- notest random input { [400]f64 }
entry heston_gradient [n] (strikes: [n]f64): [5]f64 =
  vjp (\(p: [5]f64) -> f64.sum (map (\x -> price p[0] p[1] p[2] p[3] p[4] 1 (0.8 + 0.4 * f64.abs x)) strikes)) [2, 0.04, 0.3, -0.7, 0.04] 1

-- Places of numbers among falling ones by halving, whose elements are read under a check: a histogram of angles.
-- ==
-- entry: angles
-- input { [1f32, 0f32] [0f32, 1f32] [1.5f32, 0.5f32, -1f32] } output { [0i32, 2i32, 2i32, 0i32] }
-- notest random input { [1500]f32 [1500]f32 [20]f32 }
entry angles [n][b] (xs: [n]f32) (ys: [n]f32) (ends: [b]f32): []i32 =
  let norm x y = f32.sqrt (x * x + y * y + 1e-6)
  let place (a: f32) = (loop (low, high) = (0, b) while high > low do let m = (low + high) / 2 in if a >= ends[m] then (low, m) else (m + 1, high)).0
  let places = map2 (\x y -> map2 (\u v -> place ((x * u + y * v) / (norm x y * norm u v))) xs ys) xs ys
  in reduce_by_index (replicate (b + 1) 0) (+) 0 (flatten places) (replicate (n * n) 1)

-- How many of some rising numbers are not greater, by halving without checks: each step guesses.
-- ==
-- entry: searches
-- input { [1f64, 3f64, 5f64] [0f64, 1f64, 4f64, 6f64] } output { [0i64, 1i64, 2i64, 3i64] }
-- notest random input { [10000]f64 [200000]f64 }
entry searches [n][m] (steps: [n]f64) (xs: [m]f64): [m]i64 =
  let place x = (loop (low, high) = (0, n) while low < high do let m = (low + high) / 2 in if #[unsafe] steps[m] <= x then (m + 1, high) else (low, m)).0
  in map place xs
