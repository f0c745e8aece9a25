-- Loops that hand numbers on, with other work that does not depend on them (backends/kernel/chains.cc), at sizes around those of its strips. Each is compared with the same from prefixes, or from its parts.

def data (n: i64): [n]f64 = map (\i -> f64.i64 ((i * 37 + 11) % 101) / 8 - 5) (iota n)
def near (a: f64) (b: f64) = f64.abs (a - b) <= 1e-9 * (1 + f64.abs b)
def value (x: f64) (i: i64): f64 = f64.sin x * x + f64.sqrt (f64.abs x) - 1 / (x * x + f64.i64 (i & 7) + 1)

-- Scans and reductions of what a map makes; of numbers, pairs and bools.
def check_scans (n: i64): bool =
  let xs = data n
  let vs = opaque (map2 value (opaque xs) (iota n))
  let sums = scan (+) 0 (map2 value xs (iota n))
  let greatest = scan f64.max (-f64.inf) (map2 value xs (iota n))
  let (counts, affine) =
    unzip (scan (\(a, (p, q)) (b, (r, s)) -> (a + b, (p * r, q * r + s))) (0, (1, 0)) (map2 (\x i -> let v = value x i in (i32.bool (v > 1), (0.5, v))) xs (iota n)))
  let slow_sums = loop (t, ys) = (0, replicate n 0) for i < n do let t = t + vs[i] in (t, ys with [i] = t)
  let slow_greatest = loop (t, ys) = (-f64.inf, replicate n 0) for i < n do let t = if t > vs[i] then t else vs[i] in (t, ys with [i] = t)
  let slow_affine = loop (t, ys) = (0, replicate n 0) for i < n do let t = t * 0.5 + vs[i] in (t, ys with [i] = t)
  in and (map2 near sums slow_sums.1) && and (map2 near greatest slow_greatest.1) && and (map2 near (map (.1) affine) slow_affine.1)
     && (n == 0 || counts[n - 1] == i32.sum (map (\v -> i32.bool (v > 1)) vs))

-- Loops of the user: a filter, a search for the first of the least, a machine whose states are 8 bits, one that reads what it has written.
def check_loops (n: i64): bool =
  let xs = data n
  let vs = opaque (map2 value (opaque xs) (iota n))
  let filtered = loop y = 0 for i < n do 0.9 * y + value xs[i] i
  let slow_filtered = f64.sum (map (\i -> vs[i] * 0.9 ** f64.i64 (n - 1 - i)) (iota n))
  let (least, at) = loop (least, at) = (f64.inf, -1) for i < n do let v = value xs[i] i in if v < least then (v, i) else (least, at)
  let state = loop s: u8 = 0 for i < n do let v = value xs[i] i in if v > 2 then 1 else if v < -2 && s == 1 then 2 else s
  let slow_state = reduce (\a b -> if b == 3 then a else b) 3 (map (\v -> if v > 2 then 1 else 3) vs)
  let written = loop ys = replicate (n + 1) 1 for i < n do ys with [i + 1] = 0.5 * ys[i] + value xs[i] i
  let slow_written = loop ys = replicate (n + 1) 1 for i < n do ys with [i + 1] = 0.5 * ys[i] + vs[i]
  in near filtered slow_filtered && (n == 0 || near least (f64.minimum vs) && near vs[at] least && and (map (\i -> i >= at || vs[i] > least) (iota n)))
     && (state == 2 || state == slow_state % 3) && and (map2 near written slow_written)

-- ==
-- entry: scans loops
-- input { 0i64 70i64 } output { true }
-- input { 120i64 140i64 } output { true }
-- input { 250i64 260i64 } output { true }
entry scans (low: i64) (high: i64) = and (map check_scans (low..<high))
entry loops (low: i64) (high: i64) = and (map check_loops (low..<high))

-- The same inside of rows, in derivatives, and of smaller numbers.
-- ==
-- entry: rows
-- input { 150i64 } output { true }
entry rows (n: i64): bool =
  let xss = map (\k -> map (+ f64.i64 k) (data n)) (iota 3)
  let f (xs: [n]f64) = scan (+) 0 (map (\x -> f64.exp (-x * x / 8) + f64.sin x) xs)
  let g (xs: [n]f64) = vjp f xs (map (\i -> f64.i64 (i % 5)) (iota n))
  let behind = map (\i -> f64.sum (map (\j -> f64.i64 (j % 5)) (i..<n))) (iota n)
  let slope x = -x / 4 * f64.exp (-x * x / 8) + f64.cos x
  let singles = map (\xs -> scan (+) 0f32 (map (\x -> let y = f32.f64 x in y * y * 0.25 - y + f32.abs (y + 1) * 0.5 + f32.sqrt (f32.abs y)) xs)) xss
  let shorts = map (\xs -> scan (+) 0i16 (map (\x -> let y = i16.f64 x in (y * 7 + 3) ^ (y >> 2) ^ (y << 3) ^ 0x55) xs)) xss
  let again = map (\xs -> loop (t, s) = (0i16, 0f32) for x in xs do
                     let y = i16.f64 x let z = f32.f64 x
                     in (t + ((y * 7 + 3) ^ (y >> 2) ^ (y << 3) ^ 0x55), s + (z * z * 0.25 - z + f32.abs (z + 1) * 0.5 + f32.sqrt (f32.abs z)))) xss
  in and (map (\xs -> and (map3 (\d b x -> near d (b * slope x)) (g xs) behind xs)) xss)
     && and (map3 (\r s (t, u) -> s[n - 1] == t && f32.abs (r[n - 1] - u) <= 1e-3 * (1 + f32.abs u)) singles shorts again)
