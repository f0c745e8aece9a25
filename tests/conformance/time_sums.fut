-- time_sums.fut - what all iterations of a loop add to an array. Numbers are small integers, so all orders of sums agree.

def number (k: i64): f64 = f64.i64 ((k * 7 + 3) % 5 - 2)
def vector (n: i64) (k: i64): [n]f64 = tabulate n (\i -> number (i * i + k))
def matrix (n: i64) (m: i64) (k: i64): [n][m]f64 = tabulate_2d n m (\i j -> number (i * 3 + j * j + k))
def dot [n] (x: [n]f64) (y: [n]f64): f64 = f64.sum (map2 (*) x y)
def inner [n][m] (x: [n][m]f64) (y: [n][m]f64): f64 = dot (flatten x) (flatten y)
def times [n][m] (a: [n][m]f64) (x: [m]f64): [n]f64 = map (dot x) a

-- A recurrence, of one vector: <s, f' dw> = <f'* s, dw>.
def chain [h][n] (xs: [n][h]f64) (w: [h][h]f64) (v: [h]f64): [h]f64 =
  loop y = v for i < n do map2 (\a x -> a + x) (times w y) xs[i]

entry one (n: i64) (h: i64): bool =
  let xs = matrix n h 1
  let (w, dw) = (matrix h h 2, matrix h h 3)
  let (v, s) = (vector h 4, vector h 1)
  let of_weights = vjp (\w -> chain xs w v) w s
  in inner of_weights dw == dot s (jvp (\w -> chain xs w v) w dw)

-- Of a batch, with two states and three arrays of weights, of which one is read transposed.
def batch [h][d][n][b] (xs: [n][b][d]f64) (w: [h][d]f64, u: [h][h]f64, c: [h]f64): ([b][h]f64, [b][h]f64) =
  loop (y, z) = (replicate b (replicate h 1), replicate b (replicate h 0)) for i < n do
    let new = map2 (\x y -> map3 (\p q c -> p + q + c) (times w x) (times (transpose u) y) c) xs[i] y
    in (new, map2 (map2 (\a e -> a + 2 * e)) z y)

entry many (n: i64) (b: i64) (h: i64) (d: i64): bool =
  let xs = tabulate n (\i -> matrix b d i)
  let (w, u, c) = (matrix h d 1, matrix h h 2, vector h 3)
  let (dw, du, dc) = (matrix h d 4, matrix h h 1, vector h 2)
  let (s, r) = (matrix b h 3, matrix b h 2)
  let (gw, gu, gc) = vjp (batch xs) (w, u, c) (s, r)
  let (dy, dz) = jvp (batch xs) (w, u, c) (dw, du, dc)
  in inner gw dw + inner gu du + dot gc dc == inner s dy + inner r dz

-- What was there before the loop, and is used after it; forwards, and of elements of other rows.
entry moments (n: i64) (d: i64): bool =
  let xs = matrix n d 1
  let start = matrix d d 2
  let (c, last) =
    loop (c, y) = (copy start, vector d 1) for i < n do
      (map2 (\r a -> map2 (\e b -> e + a * b) r y) c xs[i], map2 (+) (rotate 1 y) xs[n - 1 - i])
  let ys = loop ys = replicate (n + 1) (vector d 1) for i < n do ys with [i + 1] = map2 (+) (rotate 1 ys[i]) xs[n - 1 - i]
  in and (flatten (tabulate_2d d d (\i j -> c[i, j] == start[i, j] + f64.sum (tabulate n (\k -> xs[k, i] * ys[k, j])))))
     && and (map2 (==) last ys[n])

-- The sums are read on the way: they have to stay.
entry traces (n: i64) (d: i64): bool =
  let xs = matrix n d 1
  let (_, ts) =
    loop (c, ts) = (replicate d (replicate d 0), replicate n 0) for i < n do
      let c' = map2 (\r a -> map2 (\e b -> e + a * b) r xs[i]) c xs[i]
      in (c', ts with [i] = f64.sum (tabulate d (\k -> c[k, k])))
  in and (tabulate n (\i -> ts[i] == f64.sum (map (\x -> dot x x) xs[:i])))

-- Few elements: straight code does better.
entry few (n: i64): bool =
  let xs = matrix n 3 1
  let (w, dw) = (matrix 3 3 2, matrix 3 3 3)
  let (v, s) = (vector 3 4, vector 3 1)
  let of_weights = vjp (\w -> chain xs w v) w s
  in inner of_weights dw == dot s (jvp (\w -> chain xs w v) w dw)

-- Gates, whose weights are one array.
def gates [h][n][b] (xs: [n][b][h]f64) (w: [3][h][h]f64): [b][h]f64 =
  loop y = replicate b (replicate h 1) for i < n do
    map2 (\x y -> let g = map (\w -> times w y) w in map4 (\a b c x -> (if x > 0 then a else b) + c - x) g[0] g[1] g[2] x) xs[i] y

entry layers (n: i64) (b: i64) (h: i64): bool =
  let xs = tabulate n (\i -> matrix b h i)
  let w = tabulate 3 (\k -> matrix h h k)
  let dw = tabulate 3 (\k -> matrix h h (k + 2))
  let s = matrix b h 3
  in f64.sum (map2 inner (vjp (gates xs) w s) dw) == inner s (jvp (gates xs) w dw)

-- Two sums to one array, each of a state of its own.
entry several (n: i64) (h: i64): bool =
  let xs = matrix n h 1
  let outer w (y: [h]f64) x = map2 (\r p -> map2 (\u q -> u + p * q) r x) w y
  let (sum, _, _) = loop (w, y, z) = (matrix h h 2, vector h 3, vector h 4) for i < n do
    (outer (outer w y xs[i]) z xs[i], map2 (-) xs[i] y, map2 (\x z -> f64.min 2 (x + z)) xs[i] z)
  let (last, _, _) = loop (s, y, z) = (0, vector h 3, vector h 4) for i < n do
    (s + (f64.sum y + f64.sum z) * f64.sum xs[i], map2 (-) xs[i] y, map2 (\x z -> f64.min 2 (x + z)) xs[i] z)
  in f64.sum (flatten sum) == f64.sum (flatten (matrix h h 2)) + last

-- ==
-- entry: one
-- input { 0i64 4i64 } output { true }
-- input { 1i64 5i64 } output { true }
-- input { 6i64 3i64 } output { true }
-- input { 6i64 9i64 } output { true }
-- input { 3i64 1i64 } output { true }
-- input { 3i64 0i64 } output { true }
-- input { 4i64 33i64 } output { true }

-- ==
-- entry: many
-- input { 0i64 2i64 3i64 2i64 } output { true }
-- input { 1i64 3i64 4i64 5i64 } output { true }
-- input { 4i64 0i64 4i64 5i64 } output { true }
-- input { 4i64 3i64 9i64 8i64 } output { true }
-- input { 3i64 9i64 17i64 16i64 } output { true }
-- input { 2i64 1i64 1i64 0i64 } output { true }

-- ==
-- entry: moments
-- input { 0i64 3i64 } output { true }
-- input { 1i64 3i64 } output { true }
-- input { 5i64 4i64 } output { true }
-- input { 20i64 18i64 } output { true }

-- ==
-- entry: traces
-- input { 0i64 3i64 } output { true }
-- input { 6i64 9i64 } output { true }

-- ==
-- entry: few
-- input { 0i64 } output { true }
-- input { 5i64 } output { true }

-- ==
-- entry: layers
-- input { 0i64 2i64 3i64 } output { true }
-- input { 3i64 2i64 5i64 } output { true }
-- input { 3i64 8i64 9i64 } output { true }
-- input { 2i64 17i64 16i64 } output { true }

-- ==
-- entry: several
-- input { 0i64 3i64 } output { true }
-- input { 4i64 9i64 } output { true }
