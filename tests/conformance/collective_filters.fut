-- Filters and partitions whose scan stores what it keeps: sizes around those of tiles; everything kept, nothing and every other one; tuples of
-- all types; maps before them, numbers of elements, failing predicates, loops, results that change in place, and derivatives.

def numbers (n: i64): [n]i64 = opaque (tabulate n (\i -> (i * 7919 + 13) % 1009))
def kept (p: i64 -> bool) (xs: []i64): []i64 =
  let (ys, k) = loop (ys, k) = (replicate (length xs) 0, 0) for x in xs do if p x then (ys with [k] = x, k + 1) else (ys, k)
  in ys[:k]
def same (xs: []i64) (ys: []i64): bool = length xs == length ys && and (tabulate (length xs) (\i -> xs[i] == ys[i]))

-- ==
-- entry: sizes
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 2i64 } output { true }
-- input { 255i64 } output { true }
-- input { 1279i64 } output { true }
-- input { 1280i64 } output { true }
-- input { 1281i64 } output { true }
-- input { 20000i64 } output { true }
-- input { 200003i64 } output { true }
entry sizes (n: i64): bool =
  let xs = numbers n
  let right (p: i64 -> bool) =
    let ys = filter p xs
    let (us, vs) = partition p xs
    in same ys (kept p xs) && same us ys && same vs (kept (\x -> !p x) xs)
  in right (< 500) && right (< 0) && right (>= 0) && right (\x -> x % 2 == 0) && right (== 13)

-- The same in one array, which is read as a whole.
-- ==
-- entry: whole
-- input { 0i64 } output { 0i64 0i64 }
-- input { 5i64 } output { 5i64 2571i64 }
-- input { 5000i64 } output { 5000i64 2519955i64 }
entry whole (n: i64): (i64, i64) =
  let xs = numbers n
  let (us, vs) = partition (< 500) xs
  let all = us ++ vs
  in (length all, i64.sum all)

-- ==
-- entry: types
-- input { 3000i64 } output { true }
-- input { 0i64 } output { true }
entry types (n: i64): bool =
  let xs = numbers n
  let t = map (\x -> (i8.i64 x, u16.i64 x, f16.i64 (x % 8), x % 2 == 1, f32.i64 x, f64.i64 (x * x))) xs
          |> filter (\(_, u, _, _, _, _) -> u > 200)
  let (a, b) = partition (\(_, x, _) -> x < 99) (zip3 xs (map f64.i64 xs) (iota n))
  let [k] (ys: [k]i64) = kept (> 200) xs
  in and (map2 (\(i, u, h, b, f, d) x -> i == i8.i64 x && u == u16.i64 x && h == f16.i64 (x % 8) && b == (x % 2 == 1) && f == f32.i64 x && d == f64.i64 (x * x))
               (t :> [k](i8, u16, f16, bool, f32, f64)) ys)
     && same (map (.0) a) (kept (< 99) xs) && same (map (.0) b) (kept (>= 99) xs)
     && and (map (\(x, _, i) -> xs[i] == x) a) && and (map (\(x, y, i) -> xs[i] == x && f64.i64 x == y) b)

-- ==
-- entry: failing
-- input { 5000i64 5000i64 } output { 2500i64 }
-- input { 5000i64 4999i64 } error: Index
-- input { 5000i64 0i64 } error: Index
entry failing (n: i64) (m: i64): i64 =
  let table = opaque (tabulate m (\i -> i % 2 == 0))
  in length (filter (\i -> table[i]) (iota n))

-- What is kept is filtered again, until nothing stays, and changes in place.
-- ==
-- entry: again
-- input { 3000i64 } output { 168i64 76127i64 }
entry again (n: i64): (i64, i64) =
  let (count, sum, _) =
    loop (count, sum, xs) = (0, 0, drop 2 (iota (i64.min n 1000))) while length xs > 0 do
      let p = xs[0]
      in (count + 1, sum + p, filter (\x -> x % p != 0) xs)
  in (count, sum)
-- ==
-- entry: changed
-- input { 3000i64 } output { true }
entry changed (n: i64): bool =
  let xs = numbers n
  let (us, vs) = partition (< 500) xs
  let us = copy us with [0] = 7
  let ys = filter (< 500) xs
  let ys = ys with [1] = 8
  in us[0] == 7 && ys[1] == 8 && ys[0] == 13 && same (drop 2 us) (drop 2 ys) && same vs (kept (>= 500) xs)

-- Derivatives: ones and zeros at what was chosen.
-- ==
-- entry: derivatives
-- input { 3000i64 } output { true }
entry derivatives (n: i64): bool =
  let xs = map f64.i64 (numbers n)
  let f (xs: [n]f64) = let (us, vs) = partition (< 500) xs in f64.sum (map (\x -> x * x) us) - 3 * f64.sum (filter (> 700) vs)
  let right = map (\x -> if x < 500 then 2 * x else if x > 700 then -3 else 0) xs
  in and (map2 (==) (vjp f xs 1) right) && jvp f xs (replicate n 1) == f64.sum right
