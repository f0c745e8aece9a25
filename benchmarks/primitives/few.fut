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
