-- A two-layer network trained by gradient descent with vjp on a record of parameters.
type params [i] [h] [o] = {w1: [h][i]f64, b1: [h]f64, w2: [o][h]f64, b2: [o]f64}

def affine [n] [m] (w: [n][m]f64) (b: [n]f64) (x: [m]f64) =
  map2 (\r c -> f64.sum (map2 (*) r x) + c) w b

def forward [i] [h] [o] (p: params [i] [h] [o]) (x: [i]f64): [o]f64 =
  affine p.w1 p.b1 x |> map f64.tanh |> affine p.w2 p.b2

def loss [n] [i] [h] [o] (xs: [n][i]f64) (ys: [n][o]f64) (p: params [i] [h] [o]): f64 =
  map2 (\x y -> map2 (\a b -> (a - b) ** 2) (forward p x) y |> f64.sum) xs ys
  |> f64.sum
  |> (/ f64.i64 n)

def map_params [i] [h] [o] (f: f64 -> f64 -> f64) (p: params [i] [h] [o]) (q: params [i] [h] [o]):
    params [i] [h] [o] =
  {w1 = map2 (map2 f) p.w1 q.w1,
   b1 = map2 f p.b1 q.b1,
   w2 = map2 (map2 f) p.w2 q.w2,
   b2 = map2 f p.b2 q.b2}

def train [n] [i] [h] [o] (k: i32) (rate: f64) (xs: [n][i]f64) (ys: [n][o]f64)
          (p: params [i] [h] [o]) =
  iterate k (\p -> map_params (\w g -> w - rate * g) p (vjp (loss xs ys) p 1)) p

def start (i: i64) (h: i64) (o: i64): params [i] [h] [o] =
  let f a b = f64.sin (f64.i64 (a * 7 + b * 3 + 1))
  in {w1 = tabulate_2d h i f, b1 = replicate h 0.1, w2 = tabulate_2d o h f, b2 = replicate o 0}

-- ==
-- entry: xor
-- input { 0i32 }
-- output { 0.5210858374854579f64 [0.019697782190174033f64, -0.3012117263402201f64, 0.3842814731437776f64,
--   0.10813919844037931f64] [0.1f64, 0.1f64, 0.1f64, 0.1f64] }
-- input { 60i32 }
-- output { 0.08173519998299762f64 [-0.1971038066100207f64, 0.7102413896135047f64, 0.657737345184516f64,
--   -0.2949357763605055f64] [-0.30978380274954453f64, 0.8673373669925724f64, -0.15431367048350966f64, -0.2766267828792457f64]
--   }
entry xor (k: i32) =
  let xs = [[0, 0], [0, 1], [1, 0], [1, 1f64]]
  let ys = [[0], [1], [1], [0f64]]
  let p = train k 0.3 xs ys (start 2 4 1)
  in (loss xs ys p, map (forward p >-> head) xs, p.b1)
