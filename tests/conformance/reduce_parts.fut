-- Reductions by operators of the program's own, of many elements: the order of elements counts for some of them. Each is compared with a loop.

def sizes = [0i64, 1, 31, 32, 511, 512, 513, 543, 544, 545, 1000, 4095, 4096, 4097, 16384, 40000, 70001]
def by_loop 't (op: t -> t -> t) (ne: t) (f: i64 -> t) (n: i64): t = loop a = ne for i < n do op a (f i)
def same 't (equal: t -> t -> bool) (op: t -> t -> t) (ne: t) (f: i64 -> t) (n: i64): bool =
  equal (reduce op ne (tabulate n f)) (by_loop op ne f n)
def every_size (f: i64 -> bool): bool = loop right = true for n in sizes do right && f n
def number (i: i64): i64 = (i * 7919 + 13) & 1023

def best (a: i64, i: i64) (b: i64, j: i64): (i64, i64) = if a > b || (a == b && i < j) then (a, i) else (b, j)
-- ==
-- entry: places
-- input { 0i64 } output { true }
entry places (_: i64): bool =
  every_size (same (==) best (i64.lowest, -1) (\i -> (number i & 127, i))) &&
  every_size (same (==) (\(a, i) (b, j) -> if a <= b then (a, i) else (b, j)) (i64.highest, -1) (\i -> (number i & 7, i)))

-- Operators that give one of their operands: of equal keys the first, the last, or the one with the least or the greatest number. What else an
-- operand has goes with it.
def record (i: i64): (i64, i64, i32) = (number i & 15, number (i + 5) & 7, i32.i64 i)
-- ==
-- entry: chosen
-- input { 0i64 } output { true }
entry chosen (_: i64): bool =
  let of (op: (i64, i64, i32) -> (i64, i64, i32) -> (i64, i64, i32)) key = every_size (same (==) op (key, -9, -1) record)
  in of (\(a, i, x) (b, j, y) -> if a > b then (a, i, x) else (b, j, y)) i64.lowest &&
     of (\(a, i, x) (b, j, y) -> if a >= b then (a, i, x) else (b, j, y)) i64.lowest &&
     of (\(a, i, x) (b, j, y) -> if b < a then (b, j, y) else (a, i, x)) i64.highest &&
     of (\(a, i, x) (b, j, y) -> if a < b then (a, i, x) else if a > b || i < j then (b, j, y) else (a, i, x)) i64.highest &&
     of (\(a, i, x) (b, j, y) -> if i == -9 then (b, j, y) else if j == -9 then (a, i, x) else if a * i >= b * j then (a, i, x) else (b, j, y)) 0 &&
     of (\p q -> if q.1 == -9 then p else q) 0 &&
     every_size (same (==) (\(i, a) (j, b) -> if a < b then (i, a) else if a == b then (i64.min i j, a) else (j, b)) (i64.highest, i32.highest)
                      (\i -> (number i, i32.i64 (number i & 7)))) &&
     every_size (same (==) (\(a, i) (b, j) -> if a < b then (b, j) else if b < a then (a, i) else (b, i64.max j i)) (-f64.inf, -1)
                      (\i -> (f64.i64 (number i & 7), number i)))

-- Beside a sum, and two at once.
-- ==
-- entry: chosen_beside
-- input { 0i64 } output { true }
entry chosen_beside (_: i64): bool =
  every_size (\n ->
    let xs = map number (iota n)
    let last (a: i64, i: i64) (b: i64, j: i64) = if a > b then (a, i) else (b, j)
    let first (a: i64, i: i64) (b: i64, j: i64) = if a <= b then (a, i) else (b, j)
    let (p, q, s) = (reduce last (i64.lowest, -1) (zip xs (iota n)), reduce first (i64.highest, -1) (zip xs (iota n)), i64.sum xs)
    in p == (loop a = (i64.lowest, -1) for i < n do last a (xs[i], i)) && q == (loop a = (i64.highest, -1) for i < n do first a (xs[i], i)) &&
       s == (loop a = 0 for x in xs do a + x))

-- Beside arrays and scans.
-- ==
-- entry: apart
-- input { 0i64 } output { true }
entry apart (_: i64): bool =
  every_size (\n ->
    let xs = map number (iota n)
    let last (a: i64, i: i64) (b: i64, j: i64) = if a > b then (a, i) else (b, j)
    let ys = map (\x -> x * x % 61) xs
    let p = reduce last (i64.lowest, -1) (zip ys (iota n))
    let fs = map f64.i64 xs
    let (s, most, sums) = (f64.sum fs, f64.maximum fs, scan (+) 0 fs)
    in p == (loop a = (i64.lowest, -1) for i < n do last a (number i * number i % 61, i)) && (n == 0 || ys[n - 1] == xs[n - 1] * xs[n - 1] % 61) &&
       (loop (right, a, m) = (true, 0, -f64.inf) for i < n do
          let a = a + f64.i64 (number i)
          in (right && a == sums[i], a, f64.max m (f64.i64 (number i)))) == (true, s, most))

-- Products of matrices, values of polynomials, the first and the last of some: no two elements may change places.
-- ==
-- entry: ordered
-- input { 0i64 } output { true }
entry ordered (_: i64): bool =
  every_size (same (==) (\(a, b, c, d) (e, f, g, h) -> (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)) (1u32, 0, 0, 1)
                   (\i -> (u32.i64 i, 3, u32.i64 (number i), 1))) &&
  every_size (same (==) (\(a, m) (b, q) -> (a * q + b, m * q)) (0u64, 1) (\i -> (u64.i64 (number i), 31))) &&
  every_size (same (==) (\(a, is_a) (b, is_b) -> if is_a then (a, true) else (b, is_b)) (0i64, false) (\i -> if number i < 9 then (i, true) else (0, false))) &&
  every_size (same (==) (\(a, is_a) (b, is_b) -> if is_b then (b, true) else (a, is_a)) (0i64, false) (\i -> if number i < 9 then (i, true) else (0, false)))

-- Brackets that match, the greatest sum of neighbours, whether numbers rise.
-- ==
-- entry: monoids
-- input { 0i64 } output { true }
entry monoids (_: i64): bool =
  every_size (same (==) (\(a, b) (c, d) -> let m = i64.min b c in (a + c - m, b + d - m)) (0, 0) (\i -> if number i & 1 == 0 then (0, 1) else (1, 0))) &&
  every_size (same (==) (\(a, b, c, d) (e, f, g, h) -> (i32.max a (i32.max e (c + f)), i32.max b (d + f), i32.max g (c + h), d + h)) (0i32, 0, 0, 0)
                   (\i -> let x = i32.i64 (number i) - 500 in (i32.max x 0, i32.max x 0, i32.max x 0, x))) &&
  every_size (same (==) (\(l, h, s, e) (l2, h2, s2, e2) -> if e then (l2, h2, s2, e2) else if e2 then (l, h, s, e) else (l, h2, s && s2 && h <= l2, false))
                   (0i64, 0, true, true) (\i -> (i >> 1, i >> 1, true, false)))

-- Floats: a mean with its variance, a logarithm of a sum of powers, a product.
def near (x: f64) (y: f64): bool = x == y || f64.abs (x - y) <= 1e-9 * (1 + f64.abs y)
-- ==
-- entry: floats
-- input { 0i64 } output { true }
entry floats (_: i64): bool =
  every_size (same (\(n, m, s) (k, l, t) -> n == k && near m l && near s t)
                   (\(n1, m1, s1) (n2, m2, s2) -> if n1 == 0 then (n2, m2, s2) else if n2 == 0 then (n1, m1, s1) else
                                                    let d = m2 - m1 let n = n1 + n2 in (n, m1 + d * n2 / n, s1 + s2 + d * d * n1 * n2 / n))
                   (0, 0, 0) (\i -> (1f64, f64.i64 (number i), 0f64))) &&
  every_size (same (\(m, s) (l, t) -> m == l && near s t) (\(a, s) (b, t) -> let m = f64.max a b in (m, s * f64.exp (a - m) + t * f64.exp (b - m))) (-1e30, 0)
                   (\i -> (f64.i64 (number i) / 100, 1f64))) &&
  every_size (same near (*) 1 (\i -> 1 + (f64.i64 (number i) - 500) / 1e6))

-- The first element that is not there is the one that is named.
-- ==
-- entry: fails
-- first input { 1000i64 1000i64 } error: Index \[1001\] out of bounds
-- first input { 1000i64 1800i64 } error: Index \[1801\] out of bounds
-- input { 1000i64 2000i64 } output { 70i64 70i64 }
entry fails (m: i64) (bad: i64): (i64, i64) =
  let xs = opaque (tabulate m (\i -> i % 71))
  in (reduce best (i64.lowest, -1) (tabulate 2000 (\i -> (xs[if i >= bad then i + 1 - i64.bool (i == bad + 1) else i % m], i)))) |> \(a, i) -> (i, a)
