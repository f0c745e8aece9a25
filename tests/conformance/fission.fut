-- fission.fut - loops whose iterations wait for each other with a part of their work, around blocks of 256 iterations.

def newton (x: f64) (k: i64): f64 = loop y = 1 for _i < k do (y + x / y) / 2
def mixed (u: u32) (k: i64): u32 = loop u for _i < k do (u ^ (u >> 3)) * 0x45d9f3b
def halvings (u: i64): i64 = (loop (u, c) = (u, 0) while u > 3 do (if u % 2 == 0 then u / 2 else u / 3, c + 1)).1

-- Reductions by operators that have no vectors, beside loops that do the same without any of them.
-- ==
-- entry: reductions
-- input { 0i64 0i64 } output { true }
-- input { 1i64 0i64 } output { true }
-- input { 255i64 0i64 } output { true }
-- input { 256i64 0i64 } output { true }
-- input { 257i64 0i64 } output { true }
-- input { 1000i64 0i64 } output { true }
-- input { -300i64 0i64 } output { true }
entry reductions (n: i64) (zero: i64): bool =
  let n = i64.max 0 n
  let k = zero + 5
  let value i = newton (f64.i64 (i * 7 % 101)) k
  let values = map (\i -> value (i + zero)) (iota n)
  let numbers = map (\i -> mixed (u32.i64 (i + zero)) k) (iota n)
  let least (a, i) (b, j): (f64, i64) = if a < b || (a == b && i < j) then (a, i) else (b, j)
  let (a, i) = reduce least (f64.inf, n) (map (\i -> (value i, i)) (iota n))
  let (b, j) = loop (b, j) = (f64.inf, n) for (value, i) in zip values (iota n) do least (b, j) (value, i)
  in a == b && i == j
     && reduce (^) 0 (map (\i -> mixed (u32.i64 i) k) (iota n)) == (loop x = 0 for u in numbers do x ^ u)
     && i64.sum (map halvings (iota n)) == i64.sum (map (\i -> halvings (i + zero)) (iota n))
     && and (map2 (==) (scan (+) 0 (map (\i -> mixed (u32.i64 i) k) (iota n))) (scan (+) 0 numbers))
     && (let kept = filter (\i -> mixed (u32.i64 i) k % 3 == 0) (iota n) in map (\i -> numbers[i] % 3 == 0) kept |> and)

-- What iterations hand on, and long work that needs it.
-- ==
-- entry: likelihood
-- input { [0.1, -0.2, 0.05] } output { [-4.17367f64, 0.0136f64] }
-- input { empty([0]f64) } output { [0f64, 0.01f64] }
entry likelihood [n] (returns: [n]f64): [2]f64 =
  let (variance, l) =
    loop (variance, l) = (0.01, 0) for i < n do
      let variance = 0.001 + 0.1 * (if i == 0 then 0 else returns[i - 1] ** 2) + 0.85 * variance
      in (variance, l + 0.5 * (f64.log variance + returns[i] ** 2 / variance))
  in [f64.round (l * 1e5) / 1e5, f64.round (variance * 1e4) / 1e4]

-- Three stages with loops: what the iteration before has read is handed on, and so is what was made of it.
-- ==
-- entry: stages
-- input { 1i64 0i64 } output { true }
-- input { 600i64 0i64 } output { true }
entry stages (n: i64) (zero: i64): bool =
  let k = zero + 3
  let us = map (\i -> u32.i64 i * 2654435761) (iota n)
  let (_, s, ys) =
    loop (before, s, ys) = (7, 0, replicate n 0) for i < n do
      let a = mixed us[i] (k + 1)
      let s = s * 31 + a
      let b = mixed (s ^ before) k
      in (us[i], s + 1, ys with [i] = b)
  let as = map (\u -> mixed (u + u32.i64 zero) (k + 1)) us
  let (_, t, zs) =
    loop (before, t, zs) = (7, 0, []) for i < n do
      let t = t * 31 + as[i]
      in (us[i], t + 1, zs ++ [mixed (t ^ before) k])
  in s == t && and (map2 (==) ys (zs :> [n]u32))

-- Arrays of an iteration, and places where values go.
-- ==
-- entry: scattered
-- input { 300i64 0i64 } output { true }
-- input { 3i64 0i64 } output { true }
entry scattered (n: i64) (zero: i64): bool =
  let size = 9 + zero
  let schedule (u: u32): u32 =
    let w = loop w = replicate (size) u for j in 1..<size do w with [j] = w[j - 1] * 5 + w[j / 2]
    in loop h = 1 for x in w do h * 33 ^ x
  let places = map (\i -> i64.u32 (schedule (u32.i64 (i + zero))) % n) (iota n)
  let a = scatter (replicate n 0) (map (\i -> i64.u32 (schedule (u32.i64 i)) % n) (iota n)) (replicate n 1i64)
  let b = hist (+) 0 n (map (\i -> i64.u32 (schedule (u32.i64 (n - i))) % n) (iota n)) (iota n)
  let c = loop c = replicate n 0i64 for p in places do c with [p] = 1
  let d = loop d = replicate n 0i64 for i < n do let p = if i == 0 then i64.u32 (schedule (u32.i64 n)) % n else places[n - i] in d with [p] = d[p] + i
  in and (map2 (==) a c) && and (map2 (==) b d)

-- The first iteration that fails says where.
-- ==
-- entry: fails
-- input { 600i64 700i64 700i64 } output { true }
-- first input { 600i64 430i64 431i64 } error: Index \[830\] out of bounds for array of shape \[400\]
-- first input { 600i64 431i64 430i64 } error: Index \[830\] out of bounds for array of shape \[400\]
-- first input { 600i64 599i64 3i64 } error: Index \[403\] out of bounds for array of shape \[400\]
entry fails (n: i64) (a: i64) (b: i64): bool =
  let xs = iota 400
  in (loop s = 0 for i < n do s * 3 + halvings xs[if i == a || i == b then 400 + i else i % 400]) != 1

-- ==
-- entry: derivatives
-- input { 300i64 5i64 1.5 } output { true }
-- input { 3i64 6i64 1.5 } output { true }
entry derivatives (n: i64) (steps: i64) (k: f64): bool =
  let xs = map (\i -> 0.5 + f64.i64 (i % 7) / 8) (iota n)
  let f k = f64.sum (scan (+) 0 (map (\x -> f64.log (newton (x * k) steps)) xs)) / f64.i64 n + f64.sum (scan f64.max 0 (map (\x -> newton (x + k) steps) xs))
  let (a, b, e) = (vjp f k 1, jvp f k 1, 1e-5)
  let c = (f (k + e) - f (k - e)) / (2 * e)
  in f64.abs (a - b) < 1e-9 * f64.abs a && f64.abs (a - c) < 1e-6 * f64.abs a
