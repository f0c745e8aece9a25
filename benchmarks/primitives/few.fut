-- few.fut - forces between bodies, and orbits: positions as arrays of three numbers, and the same with tuples.

def dot (a: [3]f64) (b: [3]f64) = f64.sum (map2 (*) a b)

-- ==
-- entry: arrays tuples
-- input { [[0f64, 0f64, 0f64], [1f64, 0f64, 0f64]] } output { [[0.9851853368415736f64, 0f64, 0f64], [-0.9851853368415736f64, 0f64, 0f64]] }
entry arrays [n] (ps: [n][3]f64): [n][3]f64 =
  map (\p ->
    reduce_comm (map2 (+)) [0, 0, 0] (map (\q ->
      let d = map2 (-) q p
      let r = f64.sqrt (dot d d + 0.01)
      in map (/ (r * r * r)) d) ps)) ps

entry tuples [n] (ps: [n][3]f64): [n][3]f64 =
  map (\p ->
    let (x, y, z) =
      reduce_comm (\(x, y, z) (u, v, w) -> (x + u, y + v, z + w)) (0, 0, 0) (map (\q ->
        let (x, y, z) = (q[0] - p[0], q[1] - p[1], q[2] - p[2])
        let r = f64.sqrt (x * x + y * y + z * z + 0.01)
        let k = r * r * r
        in (x / k, y / k, z / k)) ps)
    in [x, y, z]) ps

-- n orbits of k steps, by the rule of Runge and Kutta; the sum of the last position of each.
def step (h: f64) (s: [3]f64): [3]f64 =
  let rate (s: [3]f64) = [10 * (s[1] - s[0]), s[0] * (28 - s[2]) - s[1], s[0] * s[1] - 8 / 3 * s[2]]
  let far (a: f64) (r: [3]f64) = map2 (\x v -> x + a * v) s r
  let r1 = rate s
  let r2 = rate (far (h / 2) r1)
  let r3 = rate (far (h / 2) r2)
  let r4 = rate (far h r3)
  in far (h / 6) (map2 (+) (map2 (+) r1 r4) (map2 (\a b -> 2 * (a + b)) r2 r3))

-- ==
-- entry: orbits orbits_of_tuples
-- input { 1i64 2i64 } output { [4.041870350481064f64] }
entry orbits (n: i64) (k: i64): [n]f64 =
  map (\i -> f64.sum (loop s = [1, 1, 2 + f64.i64 i / 1000] for _j < k do step 0.001 s)) (iota n)

entry orbits_of_tuples (n: i64) (k: i64): [n]f64 =
  let rate (x: f64, y: f64, z: f64) = (10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z)
  let far (a: f64) (x: f64, y: f64, z: f64) (u, v, w) = (x + a * u, y + a * v, z + a * w)
  let step h s =
    let r1 = rate s
    let r2 = rate (far (h / 2) s r1)
    let r3 = rate (far (h / 2) s r2)
    let r4 = rate (far h s r3)
    in far (h / 6) s (r1.0 + r4.0 + 2 * (r2.0 + r3.0), r1.1 + r4.1 + 2 * (r2.1 + r3.1), r1.2 + r4.2 + 2 * (r2.2 + r3.2))
  in map (\i -> let (x, y, z) = loop s = (1, 1, 2 + f64.i64 i / 1000) for _j < k do step 0.001 s in x + y + z) (iota n)

-- The derivative of 20 steps in which four numbers are turned.
def turns (x: [4]f64): f64 =
  let step (r: [4]f64) = map3 (\a b c -> a + 0.1 * b * f64.sin c) r (rotate 1 r) (rotate 2 r)
  in f64.sum (map (\a -> a * a) (loop r = x for _i < 20 do step r))
-- ==
-- entry: turns_gradient
-- input { [[0.5, 0.25, -1.0, 2.0], [1.0, 0.0, 0.5, 0.25]] }
-- output { [[8.487949221493579, 1.948647794971512, 4.516515839758324, 6.604960155802059], [5.100352520669007, 19.75043626416565, 7.174952291052530, 17.182874564405992]] }
-- notest random input { [100000][4]f64 }
entry turns_gradient [n] (xs: [n][4]f64): [n][4]f64 = map (\x -> vjp turns x 1) xs

-- The likelihood of measurements, by a filter with three states, and its derivative.
def likelihood [k] (zs: [k]f64): f64 =
  let product (a: [3][3]f64) (b: [3][3]f64) = map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a
  let moves = [[1, 0.1, 0.005], [0, 1, 0.1], [0, 0, 0.95]]
  let unit = tabulate_2d 3 3 (\i j -> f64.bool (i == j))
  let step (x: [3]f64, p: [3][3]f64, sum: f64) (z: f64) =
    let x = map (\r -> f64.sum (map2 (*) r x)) moves
    let p = map2 (map2 (\a e -> a + 0.3 * e)) (product (product moves p) (transpose moves)) unit
    let seen = map (\r -> r[0] + 0.1 * r[2]) p
    let s = seen[0] + 0.1 * seen[2] + 0.5
    let y = z - x[0] - 0.1 * x[2]
    in (map2 (\a b -> a + b / s * y) x seen, map2 (\r b -> map2 (\a c -> a - b * c / s) r seen) p seen, sum - 0.5 * (f64.log s + y * y / s))
  in (loop state = (replicate 3 0, unit, 0) for z in zs do step state z).2
-- ==
-- entry: filters
-- input { [[0.5, 1.0, 0.25], [-1.0, 0.0, 2.0]] } output { [-0.789909042708676, -3.311138800785614] }
-- notest random input { [5000][40]f64 }
entry filters [n] [k] (zss: [n][k]f64): [n]f64 = map likelihood zss
-- ==
-- entry: filters_gradient
-- input { [[0.5, 1.0, 0.25], [-1.0, 0.0, 2.0]] }
-- output { [[-0.017257917203014, -0.796089448576317, 0.440813004614226], [1.627761119942632, 0.598655060489589, -2.054606776117756]] }
-- notest random input { [5000][40]f64 }
entry filters_gradient [n] [k] (zss: [n][k]f64): [n][k]f64 = map (\zs -> vjp likelihood zs 1) zss
