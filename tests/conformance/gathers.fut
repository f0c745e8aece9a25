-- gathers.fut - adjoints of windows: each place is a sum over the points that add to it. Numbers are small integers, so all orders of sums agree.

def number (k: i64): f64 = f64.i64 ((k * 7 + 3) % 11 - 5)
def vector (n: i64) (k: i64): [n]f64 = tabulate n (\i -> number (i + k))
def dot [n] (x: [n]f64) (y: [n]f64): f64 = f64.sum (map2 (*) x y)

-- Channels, a window that steps over `apart` elements: <s, f x> = <f' s, x> for what is linear in x, and in w.
def windows [c][n][o][k] (m: i64) (apart: i64) (x: [c][n]f64) (w: [o][c][k]f64): [o][m]f64 =
  map (\wo -> tabulate m (\i -> f64.sum (map2 (\wc xc -> f64.sum (tabulate k (\j -> wc[j] * xc[i + apart * j]))) wo x))) w

entry channels (c: i64) (o: i64) (most: i64) (k: i64) (apart: i64): bool =
  all id (map (\less ->
    let n = most - less
    let m = i64.max 0 (n - apart * (k - 1))
    let x: [c][n]f64 = unflatten (vector (c * n) 1)
    let w: [o][c][k]f64 = unflatten_3d (vector (o * c * k) 2)
    let s: [o][m]f64 = unflatten (vector (o * m) 4)
    let (dx, dw) = vjp (\(x, w) -> windows m apart x w) (x, w) s
    let y = dot (flatten s) (flatten (windows m apart x w))
    in y == dot (flatten dx) (flatten x) && y == dot (flatten_3d dw) (flatten_3d w)) (iota 4))

-- Large enough for threads that loop over several dimensions.
entry many (n: i64): bool =
  let x: [2][n]f64 = unflatten (vector (2 * n) 1)
  let w: [3][2][4]f64 = unflatten_3d (vector (3 * 2 * 4) 5)
  let m = n - 3
  let s: [3][m]f64 = unflatten (vector (3 * m) 2)
  let dx = vjp (\x -> windows m 1 x w) x s
  in and (tabulate_2d 2 n (\c j ->
       dx[c, j] == f64.sum (flatten (tabulate_2d 3 4 (\o k -> if j - k >= 0 && j - k < m then s[o, j - k] * w[o, c, k] else 0)))) |> flatten)

-- Flattened windows of a picture, whose edges are left out; and with zeros beside it.
entry pictures (h: i64) (w: i64) (k: i64): bool =
  let x: [h][w]f64 = unflatten (vector (h * w) 3)
  let f: [k][k]f64 = unflatten (vector (k * k) 1)
  let (p, q) = (h - k + 1, w - k + 1)
  let inner (x: [h][w]f64) (f: [k][k]f64): [p][q]f64 =
    tabulate_2d p q (\i j -> f64.sum (map2 (*) (flatten (x[i:i + k, j:j + k] :> [k][k]f64)) (flatten f)))
  let padded (x: [h][w]f64) (f: [k][k]f64): [h][w]f64 =
    tabulate_2d h w (\i j -> f64.sum (flatten (tabulate_2d k k (\a b ->
      let (r, c) = (i + a - 1, j + b - 1)
      in if r >= 0 && r < h && c >= 0 && c < w then x[r, c] * f[a, b] else 0))))
  let right 'a (g: a -> f64) (d: a) (y: f64) = g d == y
  let s: [p][q]f64 = unflatten (vector (p * q) 6)
  let t: [h][w]f64 = unflatten (vector (h * w) 2)
  let (dx, df) = vjp (\(x, f) -> inner x f) (x, f) s
  let (ex, ef) = vjp (\(x, f) -> padded x f) (x, f) t
  let y = dot (flatten s) (flatten (inner x f))
  let z = dot (flatten t) (flatten (padded x f))
  in right (\d -> dot (flatten d) (flatten x)) dx y && right (\d -> dot (flatten d) (flatten f)) df y
     && right (\d -> dot (flatten d) (flatten x)) ex z && right (\d -> dot (flatten d) (flatten f)) ef z

-- Neighbours on a plate, each side with a function of its own; what they are made of is kept as well.
def step [n][m] (c: [n][m]f64) (u: [n][m]f64): [n][m]f64 =
  tabulate_2d n m (\i j ->
    if i >= 1 && i < n - 1 && j >= 1 && j < m - 1
    then u[i, j] + c[i, j] * (u[i - 1, j] + 2 * u[i + 1, j] - u[i, j - 1] + 3 * u[i, j + 1])
    else if i == 0 then u[i, j] else 2 * u[i, j])
entry plate (n: i64) (m: i64) (steps: i32): bool =
  let c: [n][m]f64 = unflatten (vector (n * m) 8)
  let u: [n][m]f64 = unflatten (vector (n * m) 1)
  let v: [n][m]f64 = unflatten (vector (n * m) 5)
  let s: [n][m]f64 = unflatten (vector (n * m) 2)
  let f (u: [n][m]f64) = loop u for _i < steps do step c u
  in dot (flatten s) (flatten (jvp f u v)) == dot (flatten (vjp f u s)) (flatten v)

-- The index fails beyond the end, whatever comes of it.
entry beyond (n: i64) (k: i64): []f64 =
  let w = vector k 1
  in vjp (\(x: [n]f64) -> f64.sum (tabulate n (\i -> f64.sum (tabulate k (\j -> w[j] * x[i + j]))))) (vector n 2) 1

-- ==
-- entry: channels
-- input { 1i64 1i64 9i64 3i64 1i64 } output { true }
-- input { 2i64 3i64 40i64 5i64 1i64 } output { true }
-- input { 3i64 2i64 40i64 4i64 3i64 } output { true }
-- input { 2i64 2i64 6i64 9i64 1i64 } output { true }
-- input { 0i64 2i64 6i64 2i64 1i64 } output { true }
-- input { 2i64 0i64 6i64 2i64 2i64 } output { true }
-- input { 2i64 3i64 3i64 1i64 1i64 } output { true }

-- ==
-- entry: many
-- input { 40000i64 } output { true }

-- ==
-- entry: pictures
-- input { 9i64 13i64 3i64 } output { true }
-- input { 5i64 5i64 5i64 } output { true }
-- input { 30i64 70i64 2i64 } output { true }

-- ==
-- entry: plate
-- input { 7i64 9i64 1i32 } output { true }
-- input { 12i64 40i64 3i32 } output { true }
-- input { 1i64 5i64 2i32 } output { true }
-- input { 2i64 2i64 2i32 } output { true }

-- ==
-- entry: beyond
-- input { 5i64 1i64 } output { [5f64, 5f64, 5f64, 5f64, 5f64] }
-- input { 5i64 2i64 } error: out of bounds
