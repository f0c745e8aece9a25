-- batch_loops.fut - loops over time, written for one sequence and mapped over a batch. Numbers are small integers, so all orders of sums agree.
-- The file with tunables lets programs take smaller products for large ones.

def number (k: i64): f64 = f64.i64 ((k * 7 + 3) % 5 - 2)
def vector (n: i64) (k: i64): [n]f64 = tabulate n (\i -> number (i * i + k))
def matrix (n: i64) (m: i64) (k: i64): [n][m]f64 = tabulate_2d n m (\i j -> number (i * 3 + j * j + k))
def cube (l: i64) (n: i64) (m: i64) (k: i64): [l][n][m]f64 = tabulate l (\i -> matrix n m (i + k))
def dot [n] (x: [n]f64) (y: [n]f64): f64 = f64.sum (map2 (*) x y)
def inner [n][m] (x: [n][m]f64) (y: [n][m]f64): f64 = dot (flatten x) (flatten y)
def times [n][m] (a: [n][m]f64) (x: [m]f64): [n]f64 = map (dot x) a
def clamp (x: f64): f64 = f64.max (-2) (f64.min 2 x)
def same [n][m] (x: [n][m]f64) (y: [n][m]f64): bool = and (map2 (==) (flatten x) (flatten y))

-- One sequence after the other.
def one_by_one 'a [n][h] (f: a -> [h]f64) (xs: [n]a): [n][h]f64 =
  loop out = replicate n (replicate h 0) for k < n do out with [k] = f xs[k]

def net [t][h][d] (w: [h][d]f64) (u: [h][h]f64) (c: [h]f64) (xs: [t][d]f64): [h]f64 =
  loop s = replicate h 0 for i < t do map3 (\p q c -> clamp (c + dot p xs[i] + dot q s)) w u c

entry network (n: i64) (t: i64) (h: i64) (d: i64): bool =
  let (w, u, c, xs) = (matrix h d 1, matrix h h 2, vector h 3, cube n t d 4)
  in same (map (net w u c) xs) (one_by_one (net w u c) xs)

-- The sequences go back as well: <s, f' dw> = <f'* s, dw>, where nothing is clamped.
def line [t][h][d] (w: [h][d]f64, u: [h][h]f64, c: [h]f64) (xs: [t][d]f64): [h]f64 =
  loop s = replicate h 0 for i < t do map3 (\p q c -> c + dot p xs[i] + dot q s) w u c

entry gradient (n: i64) (t: i64) (h: i64) (d: i64): bool =
  let (ws, xs) = ((matrix h d 1, matrix h h 2, vector h 3), cube n t d 4)
  let (dw, du, dc) = (matrix h d 4, matrix h h 1, vector h 2)
  let s = matrix n h 5
  let (gw, gu, gc) = vjp (\ws -> map (line ws) xs) ws s
  in inner gw dw + inner gu du + dot gc dc == inner s (jvp (\ws -> map (line ws) xs) ws (dw, du, dc))

-- Each sequence has a gradient of its own.
entry gradients (n: i64) (t: i64) (h: i64): bool =
  let (w, u, c, xs) = (matrix h h 1, matrix h h 2, vector h 3, cube n t h 4)
  let of x = vjp (\c -> dot (line (w, u, c) x) (vector h 1)) c 1
  in same (map of xs) (one_by_one of xs)

-- The state begins as a row of the batch or as what is made of it. Numbers go along, and what comes before is read after.
def steps [h] (a: [h][h]f64) (x: [h]f64) (p: f64) (t: i64): [h]f64 =
  let scaled = scan (+) 0 (map (\e -> clamp (e * p)) x)
  let (y, z, time, sum) = loop (y, z, time, sum) = (x, scaled, 1, p) for i < t do
    let new = map clamp (times a y)
    in (new, map2 (\a b -> clamp (a + b * time)) z new, f64.i64 ((i64.f64 time + i) % 3), clamp (sum + y[0] * time))
  in map4 (\a b c d -> a + b + c * d) y z scaled (map (+ sum + time + p) x)

entry states (n: i64) (t: i64) (h: i64): bool =
  let (a, xs, ps) = (matrix h h 1, matrix n h 2, vector n 3)
  in same (map2 (\x p -> steps a x p t) xs ps) (one_by_one (\(x, p) -> steps a x p t) (zip xs ps))

-- The state is changed in place.
entry changed (n: i64) (t: i64) (h: i64): bool =
  let (a, xs) = (matrix h h 1, matrix n h 2)
  let f x = loop y = copy x for i < t do
    let new = map clamp (times (transpose a) y)
    let y[i % h] = new[(i + 1) % h]
    in map2 (\a b -> clamp (a - b)) y new
  let ys = map f xs
  let zs = copy ys with [0] = replicate h 7
  in same ys (one_by_one f xs) && zs[0, 0] == 7

-- One loop after another, and loops in a loop. A sum over the sequences follows.
def coded [h] (a: [h][h]f64) (b: [h][h]f64) (x: [h]f64) (t: i64): [h]f64 =
  let code = loop s = x for _i < t do map clamp (times a s)
  in loop s = code for i < t do
       let s = loop s for _j < i do map clamp (times b s)
       in map2 (\e c -> clamp (e + c)) s code

entry coder (n: i64) (t: i64) (h: i64): bool =
  let (a, b, xs) = (matrix h h 1, matrix h h 2, matrix n h 3)
  let sum = f64.sum (map (\x -> f64.sum (coded a b x t)) xs)
  in sum == f64.sum (flatten (one_by_one (\x -> coded a b x t) xs))

-- Several networks have their own weights, and all sequences.
entry networks (m: i64) (n: i64) (t: i64) (h: i64): bool =
  let (ws, xs) = (cube m h h 1, cube n t h 2)
  let c = vector h 3
  let all = map (\w -> map (net w w c) xs) ws
  in and (map2 (\w out -> same out (one_by_one (net w w c) xs)) ws all)

-- A matrix is the state, as the covariance in a filter.
entry filter (n: i64) (t: i64) (h: i64): bool =
  let (a, xs) = (matrix h h 1, cube n h h 2)
  let f p = loop p for _i < t do
    let ap = map (\r -> map (\c -> clamp (dot r c)) (transpose p)) a
    in map (\r -> map (\c -> clamp (dot r c)) a) ap
  in same (map (\x -> flatten (f x)) xs) (one_by_one (\x -> flatten (f x)) xs)

-- What may fail before, in or after the loop.
entry checked (n: i64) (t: i64) (h: i64) (before: i64) (inside: i64) (after: i64): f64 =
  let (a, xs) = (matrix h h 1, replicate n (vector h 2))
  let f (k: i64) (x: [h]f64) =
    let first = x[before + k * 0]
    let s = loop s = x for i < t do map (\r -> clamp (dot r s + first + x[inside + i])) a
    in s[after] + first
  in f64.sum (map2 f (iota n) xs)

-- ==
-- entry: network
-- input { 0i64 3i64 20i64 17i64 } output { true }
-- input { 18i64 0i64 16i64 3i64 } output { true }
-- input { 33i64 4i64 16i64 1i64 } output { true }
-- input { 3i64 4i64 5i64 6i64 } output { true }
-- input { 20i64 3i64 19i64 40i64 } output { true }
-- input { 2048i64 1i64 33i64 1i64 } output { true }

-- ==
-- entry: gradient
-- input { 0i64 3i64 20i64 17i64 } output { true }
-- input { 5i64 0i64 16i64 3i64 } output { true }
-- input { 17i64 4i64 16i64 1i64 } output { true }
-- input { 3i64 2i64 5i64 6i64 } output { true }
-- input { 20i64 3i64 17i64 18i64 } output { true }

-- ==
-- entry: gradients
-- input { 17i64 3i64 16i64 } output { true }
-- input { 3i64 3i64 4i64 } output { true }

-- ==
-- entry: states
-- input { 0i64 3i64 20i64 } output { true }
-- input { 18i64 0i64 16i64 } output { true }
-- input { 18i64 5i64 17i64 } output { true }
-- input { 5i64 4i64 3i64 } output { true }

-- ==
-- entry: changed
-- input { 18i64 0i64 16i64 } output { true }
-- input { 18i64 5i64 17i64 } output { true }
-- input { 5i64 4i64 3i64 } output { true }

-- ==
-- entry: coder
-- input { 0i64 3i64 20i64 } output { true }
-- input { 18i64 4i64 17i64 } output { true }
-- input { 5i64 4i64 3i64 } output { true }

-- ==
-- entry: networks
-- input { 0i64 3i64 4i64 16i64 } output { true }
-- input { 3i64 17i64 3i64 16i64 } output { true }
-- input { 2i64 3i64 4i64 5i64 } output { true }

-- ==
-- entry: filter
-- input { 3i64 2i64 16i64 } output { true }
-- input { 4i64 3i64 5i64 } output { true }

-- ==
-- entry: checked
-- input { 18i64 3i64 16i64 0i64 0i64 16i64 } error: Index \[16\] out of bounds for array of shape \[16\]
-- input { 18i64 3i64 16i64 16i64 0i64 3i64 } error: Index \[16\] out of bounds for array of shape \[16\]
-- input { 18i64 3i64 16i64 0i64 14i64 3i64 } error: Index \[16\] out of bounds for array of shape \[16\]
-- input { 0i64 3i64 16i64 20i64 20i64 20i64 } output { 0f64 }
