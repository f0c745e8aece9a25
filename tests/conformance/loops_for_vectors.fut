-- Loops that become vectors after something was taken out of their way, at all small sizes, beside the same computed one element after the other.

def data (n: i64) (d: i64): [n][d]f64 = tabulate_2d n d (\i j -> f64.cos (f64.i64 (i * 7 + j * 3 + n)))
def near (a: f64) (b: f64) = f64.abs (a - b) <= 1e-9 * (1 + f64.abs a)
def all_near [n] (a: [n]f64) (b: [n]f64) = and (map2 near a b)

-- Functions of sums.
def dot [d] (a: [d]f64) (b: [d]f64) = f64.sum (map2 (*) a b)
def slow_dot [d] (a: [d]f64) (b: [d]f64) = loop s = 0 for j < d do s + a[j] * b[j]

def loss [n] [d] (x: [n][d]f64) (y: [n]f64) (w: [d]f64) = f64.sum (map2 (\r t -> f64.log (1 + f64.exp (-t * dot r w))) x y)
def slow_loss [n] [d] (x: [n][d]f64) (y: [n]f64) (w: [d]f64) =
  loop s = 0 for i < n do s + f64.log (1 + f64.exp (-y[i] * slow_dot x[i] w))

def check_sums (n: i64): bool =
  let x = data n (n % 11)
  let y = map (\i -> f64.sin (f64.i64 i)) (iota n)
  let w = map (\j -> f64.i64 j / 10) (iota (n % 11))
  let layer = map2 (\r b -> f64.tanh (dot r w + b)) x y
  let slow_layer = loop z = replicate n 0 for i < n do z with [i] = f64.tanh (slow_dot x[i] w + y[i])
  let slope i = let e = f64.exp (-y[i] * slow_dot x[i] w) in -y[i] * e / (1 + e)
  let slow_gradient = loop g = replicate (n % 11) 0 for i < n do map2 (\a b -> a + slope i * b) g x[i]
  in near (loss x y w) (slow_loss x y w) && all_near layer slow_layer && all_near (vjp (loss x y) w 1) slow_gradient

-- Four results from four arrays.
def check_results (n: i64): bool =
  let (p, q, r, s) = unzip4 (map (\i -> let t = f64.i64 i in (f64.sin t, f64.cos t, f64.sin (2 * t), f64.cos (3 * t))) (iota n))
  let (a, b, c, d) = unzip4 (map4 (\x y z w -> (x + y * z, y - w, z * w + x, x * y - z)) p q r s)
  let f i = (p[i] + q[i] * r[i], q[i] - s[i], r[i] * s[i] + p[i], p[i] * q[i] - r[i])
  in and (map (\i -> let (e, f, g, h) = f i in near e a[i] && near f b[i] && near g c[i] && near h d[i]) (iota n))

-- A condition that turns at any number.
def turned [n] (k: i64) (x: [n]f64) = map (\i -> if i > k then x[i] * 2 else if i == k then -1 else x[i] + f64.i64 (i % 3)) (iota n)
def slow_turned [n] (k: i64) (x: [n]f64) =
  loop y = replicate n 0 for i < n do y with [i] = f64.bool (i > k) * x[i] * 2 - f64.bool (i == k) + f64.bool (i < k) * (x[i] + f64.i64 (i % 3))

def check_turns (n: i64): bool =
  let x = flatten (data n 1) :> [n]f64
  in and (map (\k -> all_near (turned k x) (slow_turned k x)) ([i64.lowest, -2, n + 1, i64.highest] ++ (-1...n)))

-- The return sweep of a stencil with fixed edges.
def plate [n] [m] (u: [n][m]f64): f64 =
  let v =
    tabulate_2d n m (\i j ->
      if i == 0 || j == 0 || i == n - 1 || j == m - 1 then u[i, j] else u[i, j] + 0.1 * (u[i - 1, j] * 2 + u[i + 1, j] + u[i, j - 1] * 3 + u[i, j + 1]))
  in f64.sum (flatten (map (map (\x -> x * x)) v))

def check_plate (n: i64): bool =
  let m = n % 7 + 1
  let u = data n m
  let d = tabulate_2d n m (\i j -> f64.sin (f64.i64 (i * j)))
  let gradient = vjp plate u 1
  in near (f64.sum (flatten (map2 (map2 (*)) gradient d))) (jvp plate u d)

-- A flattened array beside a range and another array.
def check_flattened (n: i64): bool =
  let m = n % 5
  let x = data n m
  let y = iota (n * m)
  let (s, z) = let v = flatten (map (map f64.exp) x)
               in (f64.sum (map2 (\a i -> a * f64.i64 i) v y), map2 (\a i -> a - f64.i64 i) v y)
  let slow = loop t = 0 for i < n do loop t for j < m do t + f64.exp x[i, j] * f64.i64 (i * m + j)
  in near s slow && and (map2 (\a i -> near a (f64.exp x[i / m, i % m] - f64.i64 i)) z y)

-- ==
-- entry: sums results turns plates flattened_arrays
-- input { 70i64 } output { true }
entry sums (k: i64) = and (map check_sums (iota k))
entry results (k: i64) = and (map check_results (iota k))
entry turns (k: i64) = and (map check_turns (iota k))
entry plates (k: i64) = and (map check_plate (iota k))
entry flattened_arrays (k: i64) = and (map check_flattened (iota k))

-- Windows around each place, written out: constant ones of one and two dimensions, at edges, and their gradients.
def window3 [h][w] (xss: [h][w]i64) =
  tabulate_2d h w (\y x -> if y < 1 || x < 1 || y >= h - 1 || x >= w - 1 then -xss[y, x] else
    i64.sum (map (\k -> xss[y + k / 3 - 1, x + k % 3 - 1] * (k + 1)) (iota 9)))

-- ==
-- entry: windows
-- input { [[1i64, 2i64, 3i64, 4i64], [5i64, 6i64, 7i64, 8i64], [9i64, 10i64, 11i64, 12i64]] }
-- output { [-1i64, -2i64, -3i64, -4i64, -5i64, 348i64, 393i64, -8i64, -9i64, -10i64, -11i64, -12i64] }
-- input { [[1i64, 2i64]] } output { [-1i64, -2i64] }
-- input { empty([0][3]i64) } output { empty([0]i64) }
entry windows [h][w] (xss: [h][w]i64) : []i64 = flatten (window3 xss)

-- ==
-- entry: filtered
-- input { [1f64, 2f64, 3f64, 4f64, 5f64, 6f64, 7f64] [1f64, 0f64, -1f64, 2f64, 0.5f64] } output { [8.5f64, 11f64, 13.5f64] [8.5f64, 11f64, 5f64, 6f64, 12.75f64, 32.5f64, 6.75f64] }
-- input { [1f64, 2f64, 3f64, 4f64] [1f64, 0f64, -1f64, 2f64, 0.5f64] } output { empty([0]f64) [0f64, 0f64, 0f64, 0f64] }
entry filtered [n] (xs: [n]f64) (cs: [5]f64) : ([]f64, []f64) =
  let f [k] (xs: [k]f64) = tabulate (i64.max 0 (k - 4)) (\i -> f64.sum (map (\j -> xs[i + j] * cs[j]) (iota 5)))
  in (f xs, vjp (\xs -> 0.5 * f64.sum (map (\y -> y * y) (f xs))) xs 1)

-- The same by slices, and by a table of neighbours, where places are kept inside.
-- ==
-- entry: sliced
-- input { [[1i64, 2i64, 3i64, 4i64], [5i64, 6i64, 7i64, 8i64], [9i64, 10i64, 11i64, 12i64]] [1i64, 10i64] }
-- output { [[54i64, 63i64]] [21i64, 32i64, 43i64, 65i64, 76i64, 87i64, 109i64, 120i64, 131i64] }
-- input { [[1i64, 2i64]] [1i64, 10i64] } output { empty([0][0]i64) [21i64] }
entry sliced [h][w] (xss: [h][w]i64) (cs: [2]i64) : ([][]i64, []i64) =
  let sums = tabulate_2d (i64.max 0 (h - 2)) (i64.max 0 (w - 2)) (\y x -> i64.sum (flatten xss[y:y + 3, x:x + 3]))
  let pairs = flatten (map (\xs -> tabulate (w - 1) (\i -> i64.sum (map2 (*) (xs[i:i + 2] :> [2]i64) cs))) xss)
  in (sums, pairs)

-- ==
-- entry: neighbours
-- input { [[1f64, 2f64, 3f64], [4f64, 5f64, 6f64]] } output { [[21f64, 27f64, 33f64], [30f64, 36f64, 42f64]] [[9f64, 9f64, 9f64], [9f64, 9f64, 9f64]] }
-- input { [[2f64]] } output { [[18f64]] [[9f64]] }
entry neighbours [h][w] (xss: [h][w]f64) =
  let around = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0), (1, 1)]
  let f (xss: [h][w]f64) = tabulate_2d h w (\y x ->
    f64.sum (map (\(dy, dx) -> xss[i64.max 0 (i64.min (h - 1) (y + dy)), i64.max 0 (i64.min (w - 1) (x + dx))]) around))
  in (f xss, vjp f xss (replicate h (replicate w 1)))

-- Rows of a few elements, whose elements do not depend on the row: all of them are one loop, with what follows in another order.
-- ==
-- entry: short_rows
-- input { empty([0][3]f64) } output { empty([0][3]f64) empty([0][3]f64) empty([3][0]f64) }
-- input { empty([2][0]f64) } output { empty([2][0]f64) empty([2][0]f64) empty([0][2]f64) }
-- input { [[0.5, 2.0, 1.0], [4.0, 0.25, 8.0], [3.0, 0.125, 1.5]] }
-- output { [[0.5, 1.0, 1.0], [1.0, 0.25, 1.0], [1.0, 0.25, 1.0]] [[4.0, 4.0, 4.0], [4.0, 4.0, 8.0], [6.0, 4.0, 6.0]]
--          [[1.0, 8.0, 6.0], [4.0, 0.5, 0.25], [2.0, 16.0, 3.0]] }
entry short_rows [n] [m] (x: [n][m]f64): ([n][m]f64, [n][m]f64, [m][n]f64) =
  (map (map (\v -> f64.max 0.25 (f64.min 1 v))) x, map (map (\v -> loop y = v while y < 4 do y * 2)) x, map (map (* 2)) (transpose x))
