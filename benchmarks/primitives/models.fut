-- models.fut - whole programs of several fields: pictures, finance, learning, physics, with gradients of some.

type vec = {x: f64, y: f64, z: f64}
def dot (a: vec) (b: vec): f64 = a.x * b.x + a.y * b.y + a.z * b.z
def along (a: vec) (t: f64) (d: vec): vec = {x = a.x + t * d.x, y = a.y + t * d.y, z = a.z + t * d.z}
def scaled (t: f64) (a: vec): vec = {x = t * a.x, y = t * a.y, z = t * a.z}
def unit (a: vec): vec = scaled (1 / f64.sqrt (dot a a)) a

-- Light from rays that spheres reflect.
def ball (k: i64): vec = {x = f64.i64 (k % 4) - 1.5, y = f64.i64 (k / 4) - 1.5, z = 4 + f64.i64 (k % 3)}

def light (from: vec) (towards: vec): f64 =
  (loop (sum, weight, from, towards, bounces) = (0, 1, from, towards, 0i64) while bounces < 4 do
     let (t, hit) =
       loop (t, hit) = (f64.inf, -1i64) for k < 16 do
         let c = along (ball k) (-1) from
         let b = dot c towards
         let d = b * b - dot c c + 0.16
         let u = if d < 0 then f64.inf else b - f64.sqrt d
         in if u > 1e-6 && u < t then (u, k) else (t, hit)
     in if hit < 0
        then (sum + weight * (0.5 + 0.5 * towards.y), weight, from, towards, 4)
        else let at = along from t towards
             let normal = unit (along at (-1) (ball hit))
             in (sum + 0.1 * weight * f64.i64 (hit + 1), 0.6 * weight, at, unit (along towards (-2 * dot towards normal) normal), bounces + 1)).0

-- ==
-- entry: picture
-- input { 4i64 4i64 }
-- output { [[0.49938837346736187f64, 0.23611481295544262f64, 0.32562854188427104f64, 0.7993883734673619f64],
--           [0.7120382709851475f64, 0.7019346008787127f64, 1.0369274472938f64, 1.0120382709851476f64],
--           [0.5581238193719097f64, 1.2630725527062001f64, 1.5407577925681317f64, 0.5581238193719097f64],
--           [1.5006116265326381f64, 1.9638851870445575f64, 0.674371458115729f64, 1.8006116265326382f64]] }
-- notest input { 128i64 128i64 }
entry picture (h: i64) (w: i64): [h][w]f64 =
  tabulate_2d h w (\i j ->
    light {x = 0, y = 0, z = 0} (unit {x = (f64.i64 j + 0.5) / f64.i64 w - 0.5, y = (f64.i64 i + 0.5) / f64.i64 h - 0.5, z = 1}))

-- American puts by binomial trees: one for each strike price.
-- ==
-- entry: puts
-- input { 3i64 [90f64, 110f64] } output { [5.956674120844232f64, 15.65664755293907f64] }
-- notest input { 500i64 [80f64, 85f64, 90f64, 95f64, 100f64, 105f64, 110f64, 115f64] }
entry puts (steps: i64) (strikes: []f64): []f64 =
  let dt = 1 / f64.i64 steps
  let up = f64.exp (0.3 * f64.sqrt dt)
  let discount = f64.exp (-0.05 * dt)
  let p = (f64.exp (0.05 * dt) - 1 / up) / (up - 1 / up)
  let put strike =
    let pays t i = f64.max 0 (strike - 100 * up ** f64.i64 (2 * i - t))
    let values = loop v = tabulate (steps + 1) (pays steps) for k < steps do
      let t = steps - 1 - k
      in tabulate (steps + 1) (\i -> if i > t then 0 else f64.max (pays t i) (discount * (p * v[i + 1] + (1 - p) * v[i])))
    in values[0]
  in map put strikes

-- The nearest of some centres, for each point.
-- ==
-- entry: nearest
-- input { [[0f64, 0f64], [1f64, 3f64], [1f64, 1f64]] [[2f64, 2f64], [0f64, 1f64]] } output { [1i64, 0i64, 1i64] }
-- notest compiled random input { [100000][8]f64 [16][8]f64 }
entry nearest [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64): [n]i64 =
  let distance a b = f64.sum (map2 (\x y -> (x - y) * (x - y)) a b)
  let closer (a, i) (b, j) = if a < b || (a == b && i < j) then (a, i) else (b, j)
  in map (\x -> (reduce closer (f64.inf, -1) (zip (map (distance x) centres) (iota k))).1) points

-- The label that most of the five nearest points have, for each of some others.
-- ==
-- entry: classify
-- input { [[0f32], [9f32], [8f32], [1f32], [7f32]] [1i32, 0i32, 0i32, 2i32, 0i32] [[8f32]] } output { [0i32] }
-- notest compiled random input { [2000][8]f32 [2000]i32 [500][8]f32 }
entry classify [n] [m] [d] (points: [n][d]f32) (labels: [n]i32) (others: [m][d]f32): [m]i32 =
  map (\x ->
         let (_, nearest) =
           loop (ds, ls) = (replicate 5 f32.inf, replicate 5 (-1)) for i < n do
             let d = f32.sum (map2 (\a b -> (a - b) * (a - b)) points[i] x)
             in if d >= ds[4] then (ds, ls)
                else let (ds, ls, _, _) =
                       loop (ds, ls, d, l) = (ds, ls, d, labels[i] % 5) for j < 5 do
                         if d < ds[j] then let (e, k) = (ds[j], ls[j]) in (ds with [j] = d, ls with [j] = l, e, k)
                         else (ds, ls, d, l)
                     in (ds, ls)
         let votes = hist (+) 0 5 (map i64.i32 nearest) (replicate 5 1i32)
         in (reduce (\(a, i) (b, j) -> if a >= b then (a, i) else (b, j)) (-1, -1) (zip votes (map i32.i64 (iota 5)))).1) others

-- How often each place is met.
-- ==
-- entry: counts
-- input { 4i64 [1i64, 3i64, 1i64, 7i64] } output { [0i32, 2i32, 0i32, 1i32] }
-- notest input { 50000i64 400000i64 }
entry counts [n] (cells: i64) (places: [n]i64): [cells]i32 =
  reduce_by_index (replicate cells 0) (+) 0 places (replicate n 1)

-- ==
-- entry: counted
-- notest input { 50000i64 400000i64 }
entry counted (cells: i64) (n: i64): [cells]i32 = counts cells (tabulate n (\i -> i64.u32 (u32.i64 i * 2654435761) % cells))

-- The energy of bodies that attract each other, and its gradient.
-- ==
-- entry: energy
-- input { [[0f64, 0f64, 0f64], [1f64, 0f64, 0f64], [0f64, 2f64, 1f64]] } output { -33.699425500085525f64 }
-- notest compiled random input { [1000][3]f64 }
entry energy [n] (at: [n][3]f64): f64 =
  f64.sum (map (\a -> f64.sum (map (\b -> -1 / f64.sqrt (0.01 + f64.sum (map2 (\x y -> (x - y) * (x - y)) a b))) at)) at)

-- ==
-- entry: forces
-- input { [[0f64, 0f64, 0f64], [1f64, 0f64, 0f64], [0f64, 2f64, 1f64]] }
-- output { [[-1.970370673683147f64, -0.3567002408054054f64, -0.1783501204027027f64],
--           [2.106113937651201f64, -0.2714865279361079f64, -0.13574326396805395f64],
--           [-0.13574326396805395f64, 0.6281867687415132f64, 0.3140933843707566f64]] }
-- notest compiled random input { [1000][3]f64 }
entry forces [n] (at: [n][3]f64): [n][3]f64 = vjp energy at 1

-- A layer that normalises each feature over a batch, and the gradient of a loss of it.
def normalised [n] [d] (xss: [n][d]f64): [n][d]f64 =
  let normalise xs =
    let mean = f64.sum xs / f64.i64 n
    let variance = f64.sum (map (\x -> (x - mean) ** 2) xs) / f64.i64 n
    in map (\x -> (x - mean) / f64.sqrt (variance + 1e-5)) xs
  in transpose (map normalise (transpose xss))

def loss [n] [d] (xss: [n][d]f64): f64 = f64.sum (map (\xs -> f64.sum (map2 (\x j -> f64.tanh (x * f64.i64 (j + 1))) xs (iota d))) (normalised xss))

-- ==
-- entry: normalisation
-- input { [[1f64, 2f64], [3f64, 1f64], [2f64, 7f64]] }
-- output { [[-0.2887753854235732f64, 0.1404242617125195f64], [-0.2887753854235732f64, -0.117020080962302f64],
--           [0.5775507708471466f64, -0.023404180750217444f64]] }
-- notest compiled random input { [1000][256]f64 }
entry normalisation [n] [d] (xss: [n][d]f64): [n][d]f64 = vjp loss xss 1

-- Values go to other places, and what they are there counts.
-- ==
-- entry: scattered
-- input { [3i64, 0i64, 9i64] [1f64, 2f64, 3f64] } output { [3f64, 12f64, 0f64] }
-- notest input { 1000000i64 }
entry scattered [n] (places: [n]i64) (values: [n]f64): [n]f64 =
  vjp (\vs -> f64.sum (map (\x -> x * x * x) (scatter (replicate (2 * n) 1) places vs))) values 1

-- ==
-- entry: scattered_far
-- notest input { 1000000i64 }
entry scattered_far (n: i64): [n]f64 = scattered (tabulate n (\i -> (i * 7919) % (2 * n))) (map f64.i64 (iota n))
