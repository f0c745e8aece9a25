-- Small models of what people differentiate.
def logsumexp [n] (xs: [n]f64): f64 =
  let m = f64.maximum xs
  in m + f64.log (f64.sum (map (\x -> f64.exp (x - m)) xs))

-- ad: mixture { [0.3, -0.2] [[1.0, 2.0], [0.5, -1.0]] [[0.1, 0.2], [0.4, 0.3], [1.0, -1.0]] }
def mixture [k][d][n] (alphas: [k]f64, means: [k][d]f64, points: [n][d]f64): f64 =
  f64.sum (map (\x -> logsumexp (map2 (\a m -> a - 0.5 * f64.sum (map2 (\p q -> (p - q) * (p - q)) x m)) alphas means)) points)
  - f64.i64 n * logsumexp alphas

-- ad: softmax { [0.3, -0.2, 1.0] }
def softmax [n] (xs: [n]f64): [n]f64 =
  let es = map f64.exp xs
  let s = f64.sum es
  in map (/ s) es

-- ad: layers { [[0.1, 0.2], [0.3, -0.4]] [0.05, -0.05] [1.0, 2.0] 3i64 }
def layers [n] (w: [n][n]f64, b: [n]f64, x: [n]f64, k: i64): [n]f64 =
  loop h = x for _i < k do map2 (\r c -> f64.tanh (f64.sum (map2 (*) r h) + c)) w b

-- ad: triangular { [[2.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 4.0]] }
def triangular [n] (a: [n][n]f64): [n][n]f64 =
  loop m = copy a for k < n do
    loop m for i < n do
      if i <= k then m
      else let f = m[i, k] / m[k, k]
           in m with [i] = map2 (\x y -> x - f * y) m[i] m[k]

-- ad: orbit { [1.0, 0.0] [0.0, 1.0] 5i64 }
def orbit (p: [2]f64, v: [2]f64, steps: i64) =
  loop (p, v) = (p, v) for _i < steps do
    let r = f64.sqrt (f64.sum (map (\x -> x * x) p))
    let v = map2 (\x y -> x - 0.1 * y / (r * r * r)) v p
    in (map2 (\x y -> x + 0.1 * y) p v, v)

-- ad: stencil { [1.0, 2.0, 4.0, 8.0] 2i64 }
def stencil [n] (xs: [n]f64, k: i64): [n]f64 =
  loop ys = xs for _i < k do
    tabulate n (\i -> let l = ys[i64.max 0 (i - 1)]
                      let r = ys[i64.min (n - 1) (i + 1)]
                      in 0.25 * l + 0.5 * ys[i] * ys[i] + 0.25 * r)

-- ad: sparse_product { [1.0, 2.0, 3.0] [0i64, 2i64, 1i64] [0i64, 0i64, 1i64] [4.0, 5.0, 6.0] }
def sparse_product [m][n] (values: [m]f64, columns: [m]i64, rows: [m]i64, x: [n]f64): [2]f64 =
  reduce_by_index (replicate 2 0) (+) 0 rows (map2 (\v c -> v * x[c]) values columns)

-- ad: distances { [[0.0, 1.0], [2.0, 0.5], [1.0, 1.0]] [[0.1, 0.9], [1.5, 0.7]] }
def distances [n][k][d] (points: [n][d]f64, centres: [k][d]f64): f64 =
  f64.sum (map (\p -> f64.minimum (map (\c -> f64.sum (map2 (\a b -> (a - b) * (a - b)) p c)) centres)) points)

-- ad: rotation { [0.1, 0.2, 0.3] [1.0, 2.0, 3.0] }
def rotation (w: [3]f64, x: [3]f64): [3]f64 =
  let sq = f64.sum (map (\a -> a * a) w)
  in if sq == 0 then x
     else let t = f64.sqrt sq
          let k = map (/ t) w
          let cross a b = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0i64]]
          let kx: [3]f64 = cross k x
          let dot = f64.sum (map2 (*) k x)
          in map3 (\p q r -> p * f64.cos t + q * f64.sin t + r * dot * (1 - f64.cos t)) x kx k

-- ad: prefix_model { [0.5, 0.25, 0.125] }
def prefix_model [n] (xs: [n]f64): f64 =
  let ps = scan (\a b -> a * b + a + b) 0 xs
  in f64.sum (map2 (\p i -> p * f64.i64 i) ps (iota n))

-- ad: updates_in_map { [[1.0, 2.0], [3.0, 4.0]] }
def updates_in_map [n] (a: [n][2]f64): [n][2]f64 =
  map (\r -> let r = copy r with [0] = r[0] * r[1] in loop r for i < 2 do r with [i] = r[i] * r[1 - i]) a

-- ad: record_state { 0.5 3i32 }
def record_state (x: f64, n: i32): f64 =
  let r = loop r = {a = x, b = [x, 1]} for _i < n do {a = r.a * r.b[0], b = map (+ r.a) r.b}
  in r.a + f64.sum r.b

type shape = #circle f64 | #box f64 f64
-- ad: areas { [1.0, 2.0, 3.0] }
def areas (xs: [3]f64): f64 =
  let shapes = map2 (\x i -> if i == 1 then #circle x else #box x (x + 1) : shape) xs (iota 3)
  in f64.sum (map (\s -> match s case #circle r -> r * r * 3 case #box w h -> w * h) shapes)

entry ad_value (x0: []f64) (x1: []i64) (x2: []i64) (x3: []f64) = sparse_product (x0, x1, x2, x3)
local def ad_like1 [n] 't (_: [n]t) (d: []t): [n]t = d :> [n]t
local def ad_like2 [n][m] 't (_: [n][m]t) (d: [][]t): [n][m]t = d :> [n][m]t
local def ad_like3 [n][m][k] 't (_: [n][m][k]t) (d: [][][]t): [n][m][k]t = d :> [n][m][k]t
entry ad_jvp (x0: []f64) (x1: []i64) (x2: []i64) (x3: []f64) (d0: []f64) (d1: []i64) (d2: []i64) (d3: []f64) = jvp sparse_product (x0, x1, x2, x3) (ad_like1 x0 d0, ad_like1 x1 d1, ad_like1 x2 d2, ad_like1 x3 d3)
entry ad_vjp (x0: []f64) (x1: []i64) (x2: []i64) (x3: []f64) (d0: []f64) =
  let r0 = sparse_product (x0, x1, x2, x3)
  in vjp sparse_product (x0, x1, x2, x3) (ad_like1 r0 d0)
