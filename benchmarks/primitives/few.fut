-- few.fut - forces between bodies: positions as arrays of three numbers, and the same with tuples.

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
