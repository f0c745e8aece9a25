-- Sums of floats in any order, of lengths around whole vectors of them: alone, several at once, under conditions, of rows,
-- from a value that is not zero. All terms are whole numbers, so every order gives the same.

def one_by_one [n] (xs: [n]f64): f64 = loop s = 0 for x in xs do s + x
def terms (n: i64): [n]f64 = tabulate n (\i -> f64.i64 ((i * 37 + 11) % 64 - 20))
def lengths = [0i64, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 39, 40, 41, 63, 64, 65, 71, 79, 80, 127, 128, 129]
def every_length (f: i64 -> bool): bool = loop right = true for n in lengths do right && f n

-- ==
-- entry: alone
-- input { 0i64 } output { true }
entry alone (_: i64): bool =
  every_length (\n -> f64.sum (terms n) == one_by_one (terms n)) &&
  every_length (\n -> f32.sum (map f32.f64 (terms n)) == f32.f64 (one_by_one (terms n))) &&
  every_length (\n -> f64.sum (map2 (*) (terms n) (reverse (terms n))) == one_by_one (map2 (*) (terms n) (reverse (terms n))))

-- ==
-- entry: long
-- input { [1000i64, 1023i64, 1024i64, 1025i64, 100003i64] } output { [true, true, true, true, true] }
entry long (ns: []i64): []bool = map (\n -> f64.sum (terms n) == one_by_one (terms n)) ns

-- Two sums of different widths, and an integer beside them.
-- ==
-- entry: several
-- input { 0i64 } output { true }
entry several (_: i64): bool =
  every_length (\n ->
    let xs = terms n
    let (a, b, c) = reduce_comm (\(a, b, c) (x, y, z) -> (a + x, b + y, c + z)) (0, 0, 0) (zip3 xs (map (f32.f64 <-< (* 2)) xs) (map i64.f64 xs))
    in a == one_by_one xs && f64.f32 b == 2 * a && f64.i64 c == a)

-- ==
-- entry: conditions
-- input { 0i64 } output { true }
entry conditions (_: i64): bool =
  every_length (\n ->
    let xs = terms n
    in f64.sum (map (\x -> if x > 0 then x else -2 * x) xs) == one_by_one (map (\x -> if x > 0 then x else -2 * x) xs))

-- Rows, columns, and strides; a part of a row.
-- ==
-- entry: parts
-- input { 0i64 } output { true }
entry parts (_: i64): bool =
  every_length (\n ->
    let rows = tabulate_2d 5 n (\i j -> f64.i64 ((i * 17 + j * 5) % 32 - 9))
    in map f64.sum rows == map one_by_one rows &&
       map f64.sum (transpose rows) == map one_by_one (transpose rows) &&
       map (\r -> f64.sum r[n / 3:]) rows == map (\r -> one_by_one r[n / 3:]) rows &&
       map (\r -> f64.sum r[::2]) rows == map (\r -> one_by_one r[::2]) rows)

-- Positions that are data, with a check each.
-- ==
-- entry: gathered
-- input { 0i64 } output { true }
entry gathered (_: i64): bool =
  every_length (\n ->
    let xs = terms n
    let at = tabulate n (\i -> (i * 7) % i64.max 1 n)
    in f64.sum (map (\i -> xs[i]) at) == one_by_one (map (\i -> xs[i]) at))

-- Values that are no numbers, and the zero with a sign: a sum of none is 0.
-- ==
-- entry: special
-- input { 0i64 } output { true }
entry special (_: i64): bool =
  every_length (\n ->
    let xs = terms n
    let infinite = map (\i -> if i == n / 2 then f64.inf else xs[i]) (iota n)
    let both = map (\i -> if i == 0 then -f64.inf else infinite[i]) (iota n)
    in (n == 0 || f64.sum infinite == f64.inf) && (n < 2 || f64.isnan (f64.sum both)))

-- The derivative of a sum, and sums that derivatives make.
-- ==
-- entry: gradients
-- input { 0i64 } output { true }
entry gradients (_: i64): bool =
  every_length (\n ->
    let xs = terms n
    let ys = reverse xs
    let g = vjp (\s -> f64.sum (map2 (\x y -> s * x * y) xs ys)) 2 1
    in g == one_by_one (map2 (*) xs ys) && vjp (\v -> f64.sum (map2 (*) v v)) xs 1 == map (* 2) xs)

-- The greatest and the least, of which some are no numbers, beside loops of the program.
-- ==
-- entry: extremes
-- input { } output { true }
entry extremes: bool =
  let right (n: i64) (k: i64) =
    let xs = map (\i -> if i % 37 == k then f64.nan else f64.i64 (i * 7919 % 1009) - 500) (iota n)
    let ys = map f32.f64 xs
    let same (a: f64) (b: f64) = a == b || (f64.isnan a && f64.isnan b)
    in same (f64.maximum xs) (loop m = -f64.inf for x in xs do f64.max m x)
       && same (f64.minimum xs) (loop m = f64.inf for x in xs do f64.min m x)
       && same (f64.f32 (f32.maximum ys)) (loop m = -f64.inf for x in xs do f64.max m x)
       && same (reduce f64.max 3 (map (\x -> x * x) xs)) (loop m = 3 for x in xs do f64.max m (x * x))
       && (let (a, b, s) = reduce (\(a, b, s) (c, d, t) -> (f64.max a c, f64.min b d, s + t)) (-f64.inf, f64.inf, 0) (map (\x -> (x, x, if f64.isnan x then 0 else x)) xs)
           in same a (f64.maximum xs) && same b (f64.minimum xs) && f64.abs (s - (loop s = 0 for x in xs do if f64.isnan x then s else s + x)) < 1e-6)
  in and (map (\n -> right n 5 && right n 100) [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 1000])
