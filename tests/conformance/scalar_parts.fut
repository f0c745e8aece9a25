-- Loops for vectors with divisions of integers and other operations that have no vector form (backends/kernel/scalar_parts.cc), at sizes around
-- those of its strips. Each is compared with single elements, which a loop that ends early computes.
-- ==
-- entry: remainders narrow after_calls twice functions
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 7i64 } output { true }
-- input { 31i64 } output { true }
-- input { 32i64 } output { true }
-- input { 33i64 } output { true }
-- input { 63i64 } output { true }
-- input { 64i64 } output { true }
-- input { 65i64 } output { true }
-- input { 200i64 } output { true }

-- ==
-- entry: sums
-- input { 0i64 } output { 0f64 0f64 }
-- input { 1i64 } output { 1f64 0f64 }
-- input { 8i64 } output { 4.166666666666667f64 21f64 }
-- input { 77i64 } output { 40.583333333333336f64 231f64 }
-- input { 256i64 } output { 133.33333333333334f64 762f64 }

-- ==
-- entry: of_rows
-- input { [[1f64, 2f64, 3f64], [4f64, 5f64, 6f64]] [7i64, 0i64, -5i64] }
-- output { [[0.6931471805599453f64, 0f64, 1.6094379124341003f64], [1.6094379124341003f64, 0f64, 2.302585092994046f64]] }

-- ==
-- entry: zero_divisor
-- input { [4i64, 2i64, 1i64] 12i64 } output { [3f64, 6f64, 12f64] }
-- input { [4i64, 0i64, 1i64] 12i64 } error: division by zero

def close (a: f64) (b: f64): bool = f64.abs (a - b) <= 1e-13 * f64.max 1 (f64.abs b)

-- Whether element i is `f i`, for all of them.
def same [n] (xs: [n]f64) (f: i64 -> f64): bool =
  (loop (i, fine) = (0, true) while i < n && fine do (i + 1, close xs[i] (f i))).1

def check (n: i64) (f: i64 -> f64): bool = same (tabulate n f) f

entry remainders (n: i64): bool =
  check n (\i -> f64.cos (f64.i64 ((3 * i * i) % (n + 5)) / 7) * f64.sin (f64.i64 ((i - 40) / 7)))

entry narrow (n: i64): bool =
  let k = i32.i64 n + 3
  let b = u8.i64 n | 1
  in check n (\i -> f64.exp (0.01 * f64.i32 (i32.i64 (i * 17) / k)) + f64.sqrt (f64.u8 (u8.i64 (i * 9) % b)))

entry after_calls (n: i64): bool =
  check n (\i -> let y = f64.exp (0.01 * f64.i64 i) in let q = i64.f64 (1000 * y) %% (n + 1) in y + f64.log (1 + f64.i64 q))

entry twice (n: i64): bool =
  check n (\i -> let q = (i * i) % (n + 2)
                 let y = f64.exp (-0.1 * f64.i64 q)
                 let r = i64.f64 (50 * y) // 3
                 in f64.sin (y + f64.i64 r))

entry functions (n: i64): bool =
  check n (\i -> let x = 0.5 + f64.i64 i in f64.log10 x * f64.exp (-0.01 * x) + f64.hypot x 3 + f64.lgamma x / x)

entry sums (n: i64): (f64, f64) =
  (f64.sum (tabulate n (\i -> 1 / f64.exp (f64.log (f64.i64 (1 + i % 4) ) ) + 0 * f64.i64 n)),
   f64.sum (tabulate n (\i -> f64.i64 (i % 7) * f64.max 0 (f64.cos 0))))

entry of_rows [n][k] (xss: [n][k]f64) (ds: [k]i64): [n][k]f64 =
  map (map2 (\d x -> if d == 0 then 0 else f64.log (f64.i64 (1 + i64.abs (i64.f64 (x * 8)) / i64.abs d))) ds) xss

entry zero_divisor [n] (ds: [n]i64) (x: i64): [n]f64 =
  map (\d -> f64.exp (f64.log (f64.i64 (x / d)))) ds
