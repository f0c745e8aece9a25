-- Loops that record many scalars for the way back: of one kind and of several, in branches, in maps, of a second derivative, and of
-- loops that do not run.

type ten = (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64)

def start (x: f64): ten = (x, x * x, 1, 2, 0.3, 0.4, x / 5, 0.6, 0.7, 0.8)
def total ((a, b, c, d, e, f, g, h, i, j): ten): f64 = a + b * c + d + e * e + f + g + h * i + j

def plain (n: i64) (x: f64): f64 =
  total (loop (a, b, c, d, e, f, g, h, i, j) = start x for _k < n do
           (f64.sin b * c, c * d / 3, f64.cos d * e, e * f, f64.cos f * g, g * h / 5, h + i / 6, f64.tanh (i * j), j * a / 9, a * b / 9))

-- What only some iterations read, and an integer beside.
def branches (n: i64) (x: f64): f64 =
  let (y, _) =
    loop (t, m) = (start x, 1) for k < n do
      let (a, b, c, d, e, f, g, h, i, j) = t
      in if m % 3 == 0
         then ((f64.sin b, c * d, d, e, f * g, g, h * i, i, j, a), m + k)
         else ((b * 0.9, a * c, d * e, e, f64.exp (-f), f64.sin g, h, i * j, j, a), m * 2 % 7)
  in total y

def of_array [m] (n: i64) (x: f64) (ws: [m]f64): f64 = f64.sum (map (\w -> plain n (x * w)) ws)

def near (a: f64) (b: f64) = f64.abs (a - b) <= 1e-9 * (1 + f64.abs a)
def agree (f: f64 -> f64) (x: f64): bool =
  let d = vjp f x 1
  let h = 1e-5
  in near d (jvp f x 1) && f64.abs (d - (f (x + h) - f (x - h)) / (2 * h)) <= 1e-5 * (1 + f64.abs d) &&
     near (vjp (\x -> vjp f x 1) x 1) (jvp (\x -> jvp f x 1) x 1) && near (jvp (\x -> vjp f x 1) x 1) (vjp (\x -> jvp f x 1) x 1)

-- ==
-- entry: agrees
-- input { 0i64 0.7 } output { true true true }
-- input { 1i64 0.7 } output { true true true }
-- input { 2i64 0.7 } output { true true true }
-- input { 23i64 0.7 } output { true true true }
-- input { -1i64 0.7 } output { true true true }
entry agrees (n: i64) (x: f64) = (agree (plain n) x, agree (branches n) x, agree (\x -> of_array n x [0.5, 1, 1.5]) x)
