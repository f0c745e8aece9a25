-- Scans whose elements would wait for each other, of lengths around whole strips and vectors. Processors combine vectors of elements. All numbers
-- are such that every order gives the same. What the scan gives is compared with a loop over the elements.

def lengths = [0i64, 1, 2, 7, 8, 9, 255, 256, 257, 263, 264, 511, 512, 513, 520, 767, 768, 1031]
def every_length (f: i64 -> bool): bool = loop right = true for n in lengths do right && f n
def one_by_one 'a [n] (op: a -> a -> a) (ne: a) (xs: [n]a): [n]a =
  (loop (x, out) = (ne, replicate n ne) for i < n do
     let x = op x xs[i]
     in (x, out with [i] = x)).1
def number (i: i64): i64 = (i * 37 + 11) % 64 - 20
def terms (n: i64): [n]f64 = tabulate n (\i -> f64.i64 (number i))
def same [n] (xs: [n]f64) (ys: [n]f64): bool = and (map2 (\x y -> f64.to_bits x == f64.to_bits y) xs ys)

-- ==
-- entry: sums
-- input { 0i64 } output { true }
entry sums (_: i64): bool =
  every_length (\n -> same (scan (+) 0 (terms n)) (one_by_one (+) 0 (terms n))) &&
  every_length (\n ->
    let xs = map f32.f64 (terms n)
    in and (map2 (==) (scan (+) 0 xs) (one_by_one (+) 0 xs)))

-- Linear recurrences of integers, which wrap around, and of numbers.
def affine_u32 (a: u32, b: u32) (c: u32, d: u32) = (a * c, b * c + d)
def affine_i64 (a: i64, b: i64) (c: i64, d: i64) = (a * c, b * c + d)
def affine_f64 (a: f64, b: f64) (c: f64, d: f64) = (a * c, b * c + d)
-- ==
-- entry: recurrences
-- input { 0i64 } output { true }
entry recurrences (_: i64): bool =
  every_length (\n ->
    let xs = tabulate n (\i -> (u32.i64 (number i) * 1664525 + 1, 1013904223))
    in and (map2 (==) (scan affine_u32 (1, 0) xs) (one_by_one affine_u32 (1, 0) xs))) &&
  every_length (\n ->
    let xs = tabulate n (\i -> (number i * 6364136223846793005 + 1, i))
    in and (map2 (==) (scan affine_i64 (1, 0) xs) (one_by_one affine_i64 (1, 0) xs))) &&
  every_length (\n ->
    let xs = tabulate n (\i -> (f64.i64 (number i % 3 - 1), f64.i64 (number i)))
    in same (scan affine_f64 (1, 0) xs |> map (.1)) (one_by_one affine_f64 (1, 0) xs |> map (.1)))

def segmented 'a (op: a -> a -> a) (f: bool, x: a) (g: bool, y: a) = (f || g, if g then y else op x y)
-- ==
-- entry: segments
-- input { 0i64 } output { true }
entry segments (_: i64): bool =
  every_length (\n ->
    let xs = tabulate n (\i -> (number i % 5 == 0, f64.i64 (number i)))
    in same (scan (segmented (+)) (false, 0) xs |> map (.1)) (one_by_one (segmented (+)) (false, 0) xs |> map (.1)) &&
       same (scan (segmented f64.max) (false, f64.lowest) xs |> map (.1)) (one_by_one (segmented f64.max) (false, f64.lowest) xs |> map (.1))) &&
  every_length (\n ->
    let xs = tabulate n (\i -> (number i % 7 == 0, f32.i64 (number i)))
    let (fs, ys) = unzip (scan (segmented (+)) (false, 0) xs)
    let (gs, zs) = unzip (one_by_one (segmented (+)) (false, 0) xs)
    in and (map2 (==) fs gs) && and (map2 (==) ys zs))

-- Greatest and least numbers, some of which are none; zeros of both signs.
-- ==
-- entry: extrema
-- input { 0i64 } output { true }
entry extrema (_: i64): bool =
  every_length (\n ->
    let xs = tabulate n (\i -> let k = number i in if k % 11 == 0 then f64.nan else if k % 7 == 0 then -f64.inf else f64.i64 k)
    in same (scan f64.max (-f64.inf) xs) (one_by_one f64.max (-f64.inf) xs) &&
       same (scan f64.min 0.5 xs) (one_by_one f64.min 0.5 xs) &&
       (let op (a: f64, b: f64, c: f64) (x: f64, y: f64, z: f64) = (f64.min a x, f64.max b y, c + z)
        let ys = map2 (\x i -> (x, x, f64.i64 i)) xs (iota n)
        let (as, bs, cs) = unzip3 (scan op (f64.inf, -f64.inf, 0) ys)
        let (ds, es, fs) = unzip3 (one_by_one op (f64.inf, -f64.inf, 0) ys)
        in same as ds && same bs es && same cs fs)) &&
  every_length (\n ->
    let xs = tabulate n (\i -> if number i % 9 == 0 then f32.nan else f32.i64 (number i))
    let bits = map f32.to_bits
    in and (map2 (==) (bits (scan f32.max (-f32.inf) xs)) (bits (one_by_one f32.max (-f32.inf) xs))) &&
       and (map2 (==) (bits (scan f32.min f32.inf xs)) (bits (one_by_one f32.min f32.inf xs))))

-- The greatest so far and where it is; integers of both signs, and none.
-- ==
-- entry: places
-- input { 0i64 } output { true }
entry places (_: i64): bool =
  every_length (\n ->
    let op (a: f64, i: i64) (b: f64, j: i64) = if b > a || (b == a && j < i) then (b, j) else (a, i)
    let xs = zip (terms n) (iota n)
    let (as, is) = unzip (scan op (-f64.inf, -1) xs)
    let (bs, js) = unzip (one_by_one op (-f64.inf, -1) xs)
    in same as bs && and (map2 (==) is js)) &&
  every_length (\n ->
    let op (a: u64, i: u64) (b: u64, j: u64) = if a < b then (b, i ^ j) else (a, u64.min i j | 1)
    let op' (a, _) (b, _) = (u64.max a b, 0u64)
    let xs = tabulate n (\i -> (u64.i64 (number i), u64.i64 i))
    in (n == 0 || (op xs[0] xs[n - 1]).0 == (op' xs[0] xs[n - 1]).0) &&
       and (map2 (\(a, _) (b, _) -> a == b) (scan op' (0, 0) xs) (one_by_one op' (0, 0) xs))) &&
  every_length (\n ->
    let xs = tabulate n (\i -> i32.i64 (number i) * 2 + 1)
    in and (map2 (==) (scan (*) 1 xs) (one_by_one (*) 1 xs)))

-- Elements that are columns, parts of rows, and in reverse; results of all of them; what is before each.
-- ==
-- entry: layouts
-- input { 0i64 } output { true }
entry layouts (_: i64): bool =
  every_length (\n ->
    let m = tabulate_2d n 3 (\i j -> f64.i64 (number (i * 3 + j)))
    let s = reverse (terms n)
    in same (scan (+) 0 m[:, 1]) (one_by_one (+) 0 (copy m[:, 1])) &&
       same (scan (+) 0 s) (one_by_one (+) 0 (copy s)) &&
       same (scan (+) 0 (terms n)[0:n]) (one_by_one (+) 0 (terms n)) &&
       same (map2 (\i x -> if i == 0 then 0 else x) (iota n) (rotate (-1) (scan (+) 0 (terms n)))) (map2 (-) (one_by_one (+) 0 (terms n)) (terms n)))

-- What the elements are made of, and what becomes of the results: functions, indices, other arrays, sums.
-- ==
-- entry: before_and_after
-- input { 0i64 } output { true }
entry before_and_after (_: i64): bool =
  every_length (\n ->
    let xs = terms n
    let ys = map2 (\x i -> if x > 0 then 2 * x else f64.i64 (i % 4)) xs (iota n)
    let zs = scan (+) 0 ys
    let (a, b) = unzip (map3 (\z x i -> (f64.sqrt (z * z) + x, i + i64.f64 z)) zs xs (iota n))
    let ws = one_by_one (+) 0 ys
    in same a (map2 (\w x -> f64.abs w + x) ws xs) && and (map3 (\v w i -> v == i + i64.f64 w) b ws (iota n)) &&
       f64.sum zs == f64.sum ws && f64.maximum zs == f64.maximum ws)

-- Rows of maps, long and short ones.
-- ==
-- entry: rows
-- input { 0i64 } output { true }
entry rows (_: i64): bool =
  every_length (\n ->
    let m = tabulate_2d 5 n (\i j -> f64.i64 (number (i * 7 + j)))
    let f op xs = op (map (\x -> (x > 10, x)) xs)
    let a = map (scan (+) 0) m
    let b = map (f (scan (segmented f64.max) (false, -f64.inf)) >-> map (.1) >-> map (* 2)) m
    let c = map (\xs -> let ys = scan f64.max (-f64.inf) xs in map2 (\y i -> y + f64.i64 i) ys (iota n)) m
    in and (map2 (\xs ys -> same xs (one_by_one (+) 0 ys)) a m) &&
       and (map2 (\xs ys -> same xs (map ((.1) >-> (* 2)) (f (one_by_one (segmented f64.max) (false, -f64.inf)) ys))) b m) &&
       and (map2 (\xs ys -> same xs (map2 (\y i -> y + f64.i64 i) (one_by_one f64.max (-f64.inf) ys) (iota n))) c m))

-- In a loop, one after the other; in a branch; into places that the results say.
-- ==
-- entry: around
-- input { 1000i64 300i64 } output { true }
-- input { 300i64 1000i64 } output { true }
entry around (n: i64) (k: i64): bool =
  let step op xs = map (% 1024) (op xs)
  let a = loop xs = terms n for _i < 4 do step (scan (+) 0) xs
  let b = loop xs = terms n for _i < 4 do step (one_by_one (+) 0) xs
  let c = if n > k then scan (+) 0 (terms n) else terms n
  let d = if n > k then one_by_one (+) 0 (terms n) else terms n
  let at = map (\x -> i64.f64 x % n) (scan (+) 0 (terms k))
  let e = reduce_by_index (replicate n 0) (+) 0 at (terms k)
  let f = loop out = replicate n 0 for (i, x) in zip (map (\x -> i64.f64 x % n) (one_by_one (+) 0 (terms k))) (terms k) do
            if i < 0 then out else out with [i] = out[i] + x
  in same a b && same c d && same e f

-- ==
-- entry: fails_before
-- input { 600i64 599i64 } error: Index \[600\] out of bounds for array of shape \[600\]
-- input { 600i64 600i64 } output { 600f64 }
entry fails_before (n: i64) (k: i64): f64 =
  let xs = replicate n 1
  in last (scan (+) 0 (map (\i -> xs[if i == k then n else i]) (iota n)))

-- ==
-- entry: fails_after
-- input { 600i64 599f64 } error: Assertion is false
-- input { 600i64 600f64 } output { 180300f64 }
entry fails_after (n: i64) (most: f64): f64 =
  f64.sum (map (\x -> assert (x <= most) x) (scan (+) 0 (replicate n 1)))

-- Sums of all that comes after an element: scans that are only wanted back to front.
-- ==
-- entry: suffixes
-- input { 5i64 3i64 } output { true }
-- input { 40i64 1i64 } output { true }
-- input { 37i64 33i64 } output { true }
-- input { 3i64 300i64 } output { true }
-- input { 4i64 0i64 } output { true }
entry suffixes (n: i64) (k: i64): bool =
  let xss = tabulate_2d n k (\i j -> (i * 31 + j * j * 7) % 23 - 11)
  let backwards = map (\r -> reverse (scan (+) 0 (reverse r))) xss
  let greatest = map (\r -> reverse (map (+ 1) (scan i64.max i64.lowest r))) xss
  let right i j = backwards[i, j] == i64.sum xss[i, j:] && greatest[i, j] == 1 + i64.maximum xss[i, :k - j]
  in and (flatten (tabulate_2d n k right))

-- Rows that a loop changes in part, wanted back to front: the rest of each row goes with it.
-- ==
-- entry: changed_in_part
-- input { [[1, 2], [3, 4], [5, 6]] } output { [[9, 6], [4, 4], [1, 2]] }
entry changed_in_part [n] (xss: [n][2]i32): [n][2]i32 =
  reverse (loop (t, s) = (0, copy xss) for i < n do (t + xss[i, 0], s with [i, 0] = t + xss[i, 0])).1
