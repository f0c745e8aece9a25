-- Copies of transposed arrays, and maps that read one array by rows and another one by columns: on devices these are tiles of 32 by 32.
-- ==
-- entry: turned
-- input { 0i64 5i64 } output { true }
-- input { 1i64 40i64 } output { true }
-- input { 16i64 16i64 } output { true }
-- input { 31i64 33i64 } output { true }
-- input { 32i64 64i64 } output { true }
-- input { 70i64 15i64 } output { true }
-- input { 100i64 65i64 } output { true }
entry turned (n: i64) (m: i64): bool =
  let numbers = opaque (tabulate_2d n m (\i j -> i * 1000 + j))
  let same x y = and (map2 (==) (flatten x) (flatten y))
  let wanted = opaque (tabulate_2d m n (\j i -> i * 1000 + j))
  let bytes = opaque (map (map u8.i64) numbers)
  let halves = opaque (map (map f16.i64) numbers)
  in same (copy (transpose numbers)) wanted
  && and (map2 (==) (flatten (copy (transpose bytes))) (map u8.i64 (flatten wanted)))
  && and (map2 (==) (flatten (copy (transpose halves))) (map f16.i64 (flatten wanted)))
  && and (flatten (copy (transpose (map (map (\x -> x % 1000 >= 0)) numbers))))

-- Each of several pictures, dimensions that move past another one, and parts of arrays.
-- ==
-- entry: of_several
-- input { 3i64 20i64 40i64 } output { true }
-- input { 20i64 3i64 40i64 } output { true }
-- input { 33i64 34i64 35i64 } output { true }
-- input { 0i64 34i64 35i64 } output { true }
entry of_several (k: i64) (n: i64) (m: i64): bool =
  let a = opaque (tabulate_3d k n m (\l i j -> f64.i64 (l * 10000 + i * 100 + j)))
  let same x y = and (map2 (==) (flatten (map flatten x)) (flatten (map flatten y)))
  let from f p q r = tabulate_3d p q r (\x y z -> let (l, i, j) = f x y z in f64.i64 (l * 10000 + i * 100 + j))
  let last = n - n / 3
  let part = copy (map transpose (map (\x -> x[n / 3:] :> [last][m]f64) a))
  in same (copy (map transpose a)) (from (\l j i -> (l, i, j)) k m n)
  && same (copy (transpose (map transpose a))) (from (\j l i -> (l, i, j)) m k n)
  && same (copy (transpose a)) (from (\i l j -> (l, i, j)) n k m)
  && same part (from (\l j i -> (l, i + n / 3, j)) k m last)

-- The same array both ways, and branches.
-- ==
-- entry: symmetric
-- input { 0i64 } output { true }
-- input { 15i64 } output { true }
-- input { 33i64 } output { true }
-- input { 100i64 } output { true }
entry symmetric (n: i64): bool =
  let a = opaque (tabulate_2d n n (\i j -> i + 2 * j))
  let made = opaque (tabulate_2d n n (\i j -> (a[i, j] + a[j, i]) * (if i < j then 1 else if j < i then -1 else a[j, j])))
  in and (flatten (tabulate_2d n n (\i j -> made[i, j] == 3 * (i + j) * (if i < j then 1 else if j < i then -1 else 3 * j))))

-- Two arrays by columns, one of them an element further on; a row and a column beside them; and where the elements lead.
-- ==
-- entry: several
-- input { 10i64 50i64 } output { true }
-- input { 50i64 90i64 } output { true }
-- input { 64i64 32i64 } output { true }
entry several (n: i64) (m: i64): bool =
  let a = opaque (tabulate_2d n m (\i j -> i * m + j))
  let b = opaque (tabulate_2d m n (\j i -> i * 3 + j))
  let c = opaque (tabulate_2d m n (\j i -> f32.i64 (i - j)))
  let row = opaque (tabulate m (\j -> j * j))
  let far = opaque (tabulate 7 (\x -> x * 11))
  let made = opaque (tabulate_2d n m (\i j -> a[i, j] + b[j, i] * row[j] + i64.f32 c[j, i] + far[b[j, i] % 7]))
  in and (flatten (tabulate_2d n m (\i j -> made[i, j] == i * m + j + (i * 3 + j) * (j * j) + i - j + (i * 3 + j) % 7 * 11)))

-- An index that a check has to allow first.
-- ==
-- entry: checked
-- input { 40i64 39i64 } output { true }
-- input { 40i64 41i64 } error: out of bounds
entry checked (n: i64) (most: i64): bool =
  let at = opaque (tabulate_2d n n (\i j -> i64.min (i + 2 * j) most))
  let values = opaque (tabulate n (\i -> i * i))
  let made = opaque (tabulate_2d n n (\i j -> values[at[j, i]] + at[i, j]))
  in and (flatten (tabulate_2d n n (\i j -> made[i, j] == (i64.min (j + 2 * i) most) ** 2 + i64.min (i + 2 * j) most)))
