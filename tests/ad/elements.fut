-- Maps of which only one element is read: their return sweep is that of the element.

-- ad: nearest { [[0.0, 0.0], [3.0, 1.0], [1.5, 2.0]] [[0.5, 0.25], [2.0, 1.0]] }
def nearest [n][k][d] (ps: [n][d]f64, cs: [k][d]f64) =
  f64.sum (map (\p -> f64.minimum (map (\c -> f64.sum (map2 (\x y -> (x - y) * (x - y)) p c)) cs)) ps)

-- ad: farthest { [1.0, -4.0, 3.0] 0.5 [2.0, 3.0, 5.0] }
def farthest [n] (xs: [n]f64, a: f64, ws: [n]f64) = f64.maximum (map3 (\x w i -> a * x * x + w * ws[(i + 1) % n]) xs ws (iota n))

-- rule: map.point sparse.element
-- ad: one_of_many { [1.0, 2.0, 3.0] 1.5 }
def one_of_many (xs: []f64, a: f64) = let ys = map (\x -> a * f64.exp x) xs in ys[1] * ys[1]

-- Of a few scalars: choices among them.
-- rule: sparse.few
-- ad: one_of_few { [1.0, 2.0, 3.0, 5.0] [2i64, 0i64, 3i64] }
def one_of_few [n] (w: [4]f64, is: [n]i64) =
  f64.sum (map (\i -> let t = [w[i], w[0] * w[1], f64.sin w[2]] in t[i % 3] * w[(i + 1) % 4] + (copy t with [i % 3] = w[i])[(i + 1) % 3]) is)

-- ad: largest_of_pairs { [1.0, 2.0, 5.0, 3.0, 4.0, 0.5] }
def largest_of_pairs [n] (xs: [n]f64) = tabulate (n / 2) (\i -> f64.maximum xs[2 * i:2 * i + 2] * f64.minimum (map f64.sin xs[2 * i:2 * i + 2]))

-- ad: largest_of_squares { [[1.0, 2.0, 5.0, 3.0], [4.0, 0.5, 1.0, 7.0]] }
def largest_of_squares [n][m] (a: [n][m]f64) =
  tabulate_2d (n / 2) (m / 2) (\i j -> f64.maximum (flatten a[2 * i:2 * i + 2, 2 * j:2 * j + 2]))

-- ad: two_of_many { [1.0, 2.0, 3.0] }
def two_of_many (xs: []f64) = let ys = map f64.exp xs in ys[0] * ys[2]

-- ad: one_and_all { [1.0, 2.0, 3.0] }
def one_and_all (xs: []f64) = let ys = map f64.exp xs in (ys[0] + f64.sum ys, ys[1])

-- ad: one_row { [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] [0.5, 0.25] }
def one_row [n][m] (a: [n][m]f64, ws: [m]f64) = let b = map (map2 (*) ws) a in f64.sum (map f64.sin b[1])

-- ad: of_pairs { [1.0, 2.0, 3.0] }
def of_pairs (xs: []f64) = let (ys, zs) = unzip (map (\x -> (x * x, f64.sin x)) xs) in ys[1] * zs[1]

-- ad: of_pairs_apart { [1.0, 2.0, 3.0] }
def of_pairs_apart (xs: []f64) = let (ys, zs) = unzip (map (\x -> (x * x, f64.sin x)) xs) in ys[1] * zs[2]

-- ad: from_branch { [1.0, 2.0, 3.0] 1i64 }
def from_branch (xs: []f64, i: i64) =
  let ys = map (\x -> x * x * x) xs
  in if i > 0 then ys[i] else f64.sum ys

-- ad: from_loop { [1.0, 2.0, 3.0] }
def from_loop [n] (xs: [n]f64) =
  let ys = map f64.sqrt xs
  in loop a = ys[0] for i < n do a * ys[i] + f64.minimum (map (* a) ys)

-- ad: chained { [1.0, 2.0, 3.0] [3i64, 2i64, 1i64] }
def chained [n] (xs: [n]f64, is: [n]i64) =
  let ys = scan (*) 1 xs
  let zs = map (\y -> f64.log y + 2) (map (\i -> ys[i - 1]) is)
  in f64.maximum zs * zs[2]

-- ad: smallest_of_rows { [[1.0, 2.0], [3.0, 0.5]] }
def smallest_of_rows [n][m] (a: [n][m]f64) =
  let s = map (\r -> f64.minimum (map (\x -> x * x + r[0]) r)) a
  in f64.maximum s

-- ad: no_elements { empty([0]f64) 2.0 }
def no_elements (xs: []f64, a: f64) = a * (1 - f64.min 0.5 (f64.minimum (map (* a) xs)))

-- ad: second_order { [1.0, 2.0, 3.0] }
def second_order (xs: []f64) = vjp (\xs -> f64.maximum (map (\x -> x * x * x) xs)) xs 1

-- An element at a checked place of an array of equal ones is the value itself, with the check.
-- ad: element_checked { 0.3 [1.0, 2.0, 4.0] }
def element_checked [n] (x: f64, a: [n]f64) = (map (\_ -> x * x) a)[i64.abs (i64.f64 (3 * f64.tanh x)) % n]

-- In a branch; both have one, or one, or a checked one, a row, the smallest one, inside of another branch.
-- rule: sparse.pad
-- ad: padded { [1.0, 2.0, 3.0] 1.5 true }
-- ad: padded { [1.0, 2.0, 3.0] 1.5 false }
def padded [n] (xs: [n]f64, a: f64, b: bool) =
  let ys = map (\x -> a * f64.exp x) xs in if b then ys[0] * ys[0] else ys[n - 1] * a

-- ad: padded_one { [1.0, 2.0, 3.0] true }
-- ad: padded_one { [1.0, 2.0, 3.0] false }
def padded_one [n] (xs: [n]f64, b: bool) =
  let ys = map f64.exp xs in (if b then ys[1] else xs[1]) + (if b then xs[0] else f64.sum ys * ys[2])

-- ad: padded_checked { [1.0, 2.0, 3.0] [2i64, 7i64] true }
-- ad: padded_checked { [1.0, 2.0, 3.0] [2i64, 7i64] false }
def padded_checked [n][m] (xs: [n]f64, is: [m]i64, b: bool) =
  let ys = map f64.exp xs in if b then ys[is[0]] * 2 else if is[1] < 3 then ys[is[1]] else f64.sin ys[is[0] / 2]

-- ad: padded_row { [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] [0.5, 0.25] true }
def padded_row [n][m] (a: [n][m]f64, ws: [m]f64, b: bool) =
  let c = map (map2 (*) ws) a in f64.sum (map f64.sin (if b then c[1] else map (* 2) c[2]))

-- ad: padded_smallest { [1.0, 2.0, 3.0] 0.5 }
-- ad: padded_smallest { [1.0, 2.0, 3.0] -0.5 }
def padded_smallest [n] (xs: [n]f64, a: f64) =
  let ys = map (\x -> (x - 1.7) * (x - 1.7) + a * x) xs in if a > 0 then f64.minimum ys else ys[2] * ys[2] + ys[2]

-- ad: padded_in_map { [1.0, 2.0, 3.0] [2i64, 0i64, 1i64, 1i64] }
def padded_in_map [n][m] (xs: [n]f64, is: [m]i64) =
  map (\i -> let ys = map (\x -> f64.exp (x * 0.3) * f64.i64 i) xs in if i > 0 then ys[i] * xs[0] else ys[n - 1]) is

-- ad: padded_loop { [1.0, 2.0, 3.0] }
def padded_loop [n] (xs: [n]f64) =
  loop s = 1 for i < n do let ys = map (\x -> f64.sin (x * s)) xs in s + (if s > 1.5 then ys[i] else ys[0] * 0.5)

-- The element's sweep goes back through updates of a copy of the array that is mapped over: under its name from before.
-- rule: map.point
-- ad: of_own_updates { [2.0, 4.0, 3.0] 1.5 }
def of_own_updates [n] (xs: [n]f64, a: f64) =
  let ys = scatter (copy xs) [0] [a]
  in f64.sum (map f64.sin (map (\y -> loop r = copy ys for k < 2 do r with [k % n] = y + a * r[0]) ys)[i64.min 1 (n - 1)])

-- rule: map.point
-- ad: of_own_updates_twice { [2.0, 4.0, 3.0] 1.5 }
def of_own_updates_twice [n] (xs: [n]f64, a: f64) =
  let row (ys: [n]f64) = (map (\y -> loop r = copy ys for k < 2 do r with [k % n] = y + a * r[0]) ys)[n - 1]
  in row (row xs)
