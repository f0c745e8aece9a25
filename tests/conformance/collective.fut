-- collective.fut - reductions of one row and of many, at sizes around those of a warp, a block and a full device. Each entry
-- compares with loops.

-- Composition of x -> a x + b: the order matters.
def after (a: i64, b: i64) (c: i64, d: i64): (i64, i64) = (a * c, b * c + d)
def part (i: i64): (i64, i64) = (2 * i + 1, i * i - 7)

-- ==
-- entry: in_order
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 31i64 } output { true }
-- input { 32i64 } output { true }
-- input { 33i64 } output { true }
-- input { 255i64 } output { true }
-- input { 256i64 } output { true }
-- input { 257i64 } output { true }
-- input { 1025i64 } output { true }
-- input { 5000i64 } output { true }
-- input { 70000i64 } output { true }
entry in_order (n: i64): bool =
  reduce after (1, 0) (map part (iota n)) == (loop x = (1, 0) for i < n do after x (part i))

-- ==
-- entry: several
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 31i64 } output { true }
-- input { 32i64 } output { true }
-- input { 33i64 } output { true }
-- input { 255i64 } output { true }
-- input { 256i64 } output { true }
-- input { 257i64 } output { true }
-- input { 1025i64 } output { true }
-- input { 5000i64 } output { true }
-- input { 70000i64 } output { true }
entry several (n: i64): bool =
 
    let xs = map (\i -> (i * 7919) % 1009) (iota n)
    let (ls, s, y) = (map (+ 1) xs, i64.sum xs, reduce (\(x, i) (y, j) -> if x > y || x == y && i <= j then (x, i) else (y, j)) (-1, -1) (zip xs (iota n)))
    let (t, z) = loop (t, (z, at)) = (0, (-1, -1)) for i < n do (t + xs[i], if xs[i] > z then (xs[i], i) else (z, at))
    in s == t && y == z && i64.sum ls == t + n

-- ==
-- entry: numbers
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 31i64 } output { true }
-- input { 32i64 } output { true }
-- input { 33i64 } output { true }
-- input { 255i64 } output { true }
-- input { 256i64 } output { true }
-- input { 257i64 } output { true }
-- input { 1025i64 } output { true }
-- input { 5000i64 } output { true }
-- input { 70000i64 } output { true }
entry numbers (n: i64): bool =
 
    let xs = map (\i -> if i % 7 == 3 then f64.nan else f64.i64 ((i * 31) % 1000)) (iota n)
    let largest = loop m = -f64.inf for x in xs do f64.max m x
    in reduce f64.max (-f64.inf) xs == largest && reduce (||) false (map f64.isnan xs) == (n > 3) && reduce (!=) false (map (\i -> i % 3 == 0) (iota n)) == ((n + 2) / 3 % 2 == 1)

-- ==
-- entry: rows
-- input { 0i64 5i64 } output { true }
-- input { 3i64 0i64 } output { true }
-- input { 5i64 33i64 } output { true }
-- input { 300i64 40i64 } output { true }
-- input { 9i64 1000i64 } output { true }
-- input { 3i64 30000i64 } output { true }
-- input { 70000i64 2i64 } output { true }
-- input { 66000i64 3i64 } output { true }
entry rows (n: i64) (m: i64): bool =
  let xss = opaque (tabulate_2d n m (\i j -> (13 * i + 7 * j) % 1013))
  let made = map (reduce after (1, 0) <-< map part) xss
  let sums = map i64.sum xss
  let columns = map (reduce i64.max 0) (transpose xss)
  let right i = made[i] == (loop x = (1, 0) for j < m do after x (part xss[i, j])) && sums[i] == (loop s = 0 for j < m do s + xss[i, j])
  in and (map right (iota n)) && (n == 0 || i64.maximum (map (reduce i64.max 0) xss) == i64.max 0 (i64.maximum columns))

-- A check that fails in an element, and in an operator: all threads come to the end.
-- ==
-- entry: elements
-- input { 5000i64 6000i64 } output { 12497500i64 }
-- input { 5000i64 4999i64 } error: Index
entry elements (n: i64) (limit: i64): i64 =
  let xs = opaque (iota n)
  in i64.sum (map (\i -> if i < limit then i else xs[i + n]) (iota n))

-- ==
-- entry: operators
-- input { 5000i64 } output { 12497500i64 }
-- input { 100000i64 } error: Assert
entry operators (n: i64): i64 =
  reduce (\a b -> assert (a + b < 1000000000) (a + b)) 0 (opaque (iota n))
