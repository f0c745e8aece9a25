-- collective_scans.fut - scans of one row and of many, at sizes around those of a warp, a block, a tile and many tiles. Each entry
-- compares with loops.

-- Composition of x -> a x + b: the order matters.
def after (a: i64, b: i64) (c: i64, d: i64): (i64, i64) = (a * c, b * c + d)
def part (i: i64): (i64, i64) = (2 * i + 1, i * i - 7)

def looped [n] 'a (op: a -> a -> a) (ne: a) (xs: [n]a): [n]a =
  (loop (ys, x) = (replicate n ne, ne) for i < n do let y = op x xs[i] in (ys with [i] = y, y)).0

def same [n] 'a (eq: a -> a -> bool) (xs: [n]a) (ys: [n]a): bool = and (map2 eq xs ys)

-- ==
-- entry: in_order
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 2i64 } output { true }
-- input { 31i64 } output { true }
-- input { 32i64 } output { true }
-- input { 33i64 } output { true }
-- input { 255i64 } output { true }
-- input { 256i64 } output { true }
-- input { 257i64 } output { true }
-- input { 1279i64 } output { true }
-- input { 1281i64 } output { true }
-- input { 5000i64 } output { true }
-- input { 70000i64 } output { true }
entry in_order (n: i64): bool =
  let xs = map part (iota n)
  in same (==) (scan after (1, 0) xs) (looped after (1, 0) xs)

-- Maps before and after, several scans of several types, and what goes past them.
-- ==
-- entry: several
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 2i64 } output { true }
-- input { 31i64 } output { true }
-- input { 32i64 } output { true }
-- input { 33i64 } output { true }
-- input { 255i64 } output { true }
-- input { 256i64 } output { true }
-- input { 257i64 } output { true }
-- input { 1279i64 } output { true }
-- input { 1281i64 } output { true }
-- input { 5000i64 } output { true }
-- input { 70000i64 } output { true }
entry several (n: i64): bool =
  let xs = opaque (map (\i -> (i * 7919) % 1009) (iota n))
  let sums = scan (+) 0 (map (+ 3) xs)
  let largest =
    scan (\(x, i) (y, j) -> if x > y || x == y && i <= j then (x, i) else (y, j)) (i32.lowest, -1)
      (zip (map i32.i64 xs) (iota n))
  let odd = scan (!=) false (map (\x -> x % 3 == 0) xs)
  let all = map4 (\x s (l, i) o -> if o then s - x else s + i + i64.i32 l) xs sums largest odd
  let (made, _) =
    loop (ys, (s, l, i, o)) = (replicate n 0, (0, i32.lowest, -1, false)) for j < n do
      let x = xs[j]
      let (s, o) = (s + x + 3, o != (x % 3 == 0))
      let (l, i) = if l >= i32.i64 x then (l, i) else (i32.i64 x, j)
      in (ys with [j] = (if o then s - x else s + i + i64.i32 l), (s, l, i, o))
  in same (==) all made

-- Numbers that are none, halves, and operators that ignore one side.
-- ==
-- entry: numbers
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 2i64 } output { true }
-- input { 31i64 } output { true }
-- input { 32i64 } output { true }
-- input { 33i64 } output { true }
-- input { 255i64 } output { true }
-- input { 256i64 } output { true }
-- input { 257i64 } output { true }
-- input { 1279i64 } output { true }
-- input { 1281i64 } output { true }
-- input { 5000i64 } output { true }
-- input { 70000i64 } output { true }
entry numbers (n: i64): bool =
  let xs = map (\i -> if i % 7 == 3 then f64.nan else f64.i64 ((i * 31) % 1000)) (iota n)
  let hs = map (\i -> f16.i64 ((i * 7) % 512)) (iota n)
  let last = \a b -> if b == 0 then a else b
  let is = map (\i -> if i % 50 == 49 then u8.i64 i else 0) (iota n)
  in same (==) (scan f64.max (-f64.inf) xs) (looped f64.max (-f64.inf) xs)
     && same (\a b -> a == b || (f64.isnan a && f64.isnan b)) (scan (+) 0 xs) (looped (+) 0 xs)
     && same (==) (scan f16.max (-f16.inf) hs) (looped f16.max (-f16.inf) hs)
     && same (==) (scan last 0 is) (looped last 0 is)

-- Five numbers at once, the most that threads combine: 2x2 matrices and their count.
-- ==
-- entry: matrices
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 2i64 } output { true }
-- input { 31i64 } output { true }
-- input { 32i64 } output { true }
-- input { 33i64 } output { true }
-- input { 255i64 } output { true }
-- input { 256i64 } output { true }
-- input { 257i64 } output { true }
-- input { 1279i64 } output { true }
-- input { 1281i64 } output { true }
-- input { 5000i64 } output { true }
-- input { 70000i64 } output { true }
entry matrices (n: i64): bool =
  let times =
    \(a: i64, b: i64, c: i64, d: i64, n: i64) (e, f, g, h, m) ->
      (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h, n + m)
  let xs = map (\i -> (i, 1, 2, i % 5, 1)) (iota n)
  in same (==) (scan times (1, 0, 0, 1, 0) xs) (looped times (1, 0, 0, 1, 0) xs)

-- Rows shorter and longer than what a thread, a block and many blocks have.
-- ==
-- entry: rows
-- input { 0i64 5i64 } output { true }
-- input { 3i64 0i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 5i64 33i64 } output { true }
-- input { 300i64 40i64 } output { true }
-- input { 9i64 1000i64 } output { true }
-- input { 1280i64 4i64 } output { true }
-- input { 3i64 30000i64 } output { true }
-- input { 2000i64 1i64 } output { true }
-- input { 66000i64 3i64 } output { true }
entry rows (n: i64) (m: i64): bool =
  let xss = opaque (tabulate_2d n m (\i j -> (13 * i + 7 * j) % 1013))
  let made = map (\xs -> scan after (1, 0) (map part xs)) xss
  let sums = map (scan (+) 0) xss
  let columns = map (scan i64.max 0) (transpose xss)
  let shifted =
    map2 (\i xs -> map2 (\j x -> x * j - i) (iota m) (scan (+) 0 (map (+ i) xs))) (iota n) xss
  let right i =
    same (==) made[i] (looped after (1, 0) (map part xss[i]))
    && same (==) sums[i] (looped (+) 0 xss[i])
    && same (==) shifted[i] (map2 (\j x -> x * j - i) (iota m) (looped (+) 0 (map (+ i) xss[i])))
  in and (map right (iota n))
     && (n == 0 || n > 1000
         || and
              (map (\j -> same (==) columns[j] (looped i64.max 0 xss[:, j]))
                 (iota (i64.min m 100))))

-- A check that fails in an element, in an operator, and in what is made of a result: all threads come to the end.
-- ==
-- entry: elements
-- input { 5000i64 6000i64 } output { 12497500i64 }
-- input { 5000i64 4999i64 } error: Index
-- input { 5000i64 0i64 } error: Index
entry elements (n: i64) (limit: i64): i64 =
  let xs = opaque (iota n)
  in (scan (+) 0 (map (\i -> if i < limit then i else xs[i + n]) (iota n)))[n - 1]

-- ==
-- entry: operators
-- input { 5000i64 } output { 12497500i64 }
-- input { 100000i64 } error: Assert
entry operators (n: i64): i64 =
  (scan (\a b -> assert (a + b < 1000000000) (a + b)) 0 (opaque (iota n)))[n - 1]

-- ==
-- entry: results
-- input { 5000i64 5000i64 } output { 7i64 }
-- input { 5000i64 4000i64 } error: Index
entry results (n: i64) (m: i64): i64 =
  let xs = opaque (replicate m 7)
  in (map (\i -> xs[i - 1]) (scan (+) 0 (opaque (replicate n 1))))[n - 1]
