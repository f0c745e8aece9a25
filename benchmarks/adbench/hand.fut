-- hand.fut - hand tracking of ADBench: distances of measured points to a skinned hand model, and their dense Jacobian.
--
-- 26 pose parameters turn the bones (parents precede children); a vertex is the weighted sum of its places in the bones'
-- frames. `simple`: each point corresponds to a vertex. `complicated`: to a place us[i] in a triangle; us is optimised, too,
-- and as a point reads its own us[i] only, two directions give all of those derivatives.

import "../input"

def matmul [n] [m] [k] (a: [n][m]f64) (b: [m][k]f64): *[n][k]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

-- The rotation about the global axis; `turn` is the axis times the angle.
def angle_axis (turn: [3]f64): [3][3]f64 =
  let norm = f64.sqrt (turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2])
  in if norm < 1e-4
     then [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
     else let (x, y, z) = (turn[0] / norm, turn[1] / norm, turn[2] / norm)
          let (s, c) = (f64.sin norm, f64.cos norm)
          in [[x * x + (1 - x * x) * c, x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
              [x * y * (1 - c) + z * s, y * y + (1 - y * y) * c, y * z * (1 - c) - x * s],
              [x * z * (1 - c) - y * s, y * z * (1 - c) + x * s, z * z + (1 - z * z) * c]]

-- Rz Ry Rx as a transformation of homogeneous coordinates.
def euler (tx: f64, tz: f64, ty: f64): [4][4]f64 =
  let (sx, cx) = (f64.sin tx, f64.cos tx)
  let (sy, cy) = (f64.sin ty, f64.cos ty)
  let (sz, cz) = (f64.sin tz, f64.cos tz)
  in [[cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx, 0],
      [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx, 0],
      [-sy, cy * sx, cy * cx, 0],
      [0, 0, 0, 1]]

-- The angles of bone b: the wrist does not turn, nor does the first bone of a finger; the second has two angles, the others one.
def bone_angles (theta: [26]f64) (b: i64): (f64, f64, f64) =
  if b < 1 || b > 20 then (0, 0, 0)
  else let finger = 6 + 4 * ((b - 1) / 4)
       in match (b - 1) % 4
          case 0 -> (0, 0, 0)
          case 1 -> (theta[finger], theta[finger + 1], 0)
          case 2 -> (theta[finger + 2], 0, 0)
          case _ -> (theta[finger + 3], 0, 0)

def skin [nb] [nv] (parents: [nb]i64) (base_relatives: [nb][4][4]f64) (inverse_base_absolutes: [nb][4][4]f64)
                   (base_positions: [nv][4]f64) (weights: [nv][nb]f64) (mirrored: bool) (theta: [26]f64): [nv][3]f64 =
  let relatives = map2 (\r b -> matmul r (euler (bone_angles theta b))) base_relatives (iota nb)
  let absolutes =
    loop g = copy relatives for b < nb do
      if parents[b] < 0 then g else g with [b] = matmul g[parents[b]] relatives[b]
  let transforms = map2 (\g b -> matmul g b) absolutes inverse_base_absolutes
  let global = angle_axis [theta[0], theta[1], theta[2]]
  let place (p: [4]f64) (w: [nb]f64): [3]f64 =
    let row (r: i64) =
      f64.sum (map2 (\s v -> v * (s[r, 0] * p[0] + s[r, 1] * p[1] + s[r, 2] * p[2] + s[r, 3] * p[3])) transforms w)
    let (x, y, z) = (if mirrored then -row 0 else row 0, row 1, row 2)
    in tabulate 3 (\r -> global[r, 0] * x + global[r, 1] * y + global[r, 2] * z + theta[3 + r])
  in map2 place base_positions weights

def simple [np] [nv] (corr: [np]i64) (points: [np][3]f64) (places: [nv][3]f64): [np * 3]f64 =
  flatten (map2 (\c y -> map2 (-) y places[c]) corr points)

def complicated [np] [nv] [nt] (triangles: [nt][3]i64) (corr: [np]i64) (points: [np][3]f64) (us: [np][2]f64)
                               (places: [nv][3]f64): [np * 3]f64 =
  flatten (map3 (\c y (u: [2]f64) ->
    let (a, b, e) = (places[triangles[c, 0]], places[triangles[c, 1]], places[triangles[c, 2]])
    in map4 (\y a b e -> y - (u[0] * a + u[1] * b + (1 - u[0] - u[1]) * e)) y a b e) corr points us)

def unit (n: i64) (i: i64): [n]f64 = tabulate n (\j -> f64.bool (i == j))

def simple_jacobian [nb] [nv] [np] (parents: [nb]i64) (base_relatives: [nb][4][4]f64) (inverse_base_absolutes: [nb][4][4]f64)
                                   (base_positions: [nv][4]f64) (weights: [nv][nb]f64) (mirrored: bool)
                                   (corr: [np]i64) (points: [np][3]f64) (theta: [26]f64): [np * 3][26]f64 =
  transpose (jmp (\t -> simple corr points (skin parents base_relatives inverse_base_absolutes base_positions weights mirrored t))
                 theta (tabulate 26 (unit 26)))

-- A shift common to all us has the derivatives with respect to each point's own us[i].
def complicated_jacobian [nb] [nv] [nt] [np] (parents: [nb]i64) (base_relatives: [nb][4][4]f64)
                                             (inverse_base_absolutes: [nb][4][4]f64) (base_positions: [nv][4]f64)
                                             (weights: [nv][nb]f64) (triangles: [nt][3]i64) (mirrored: bool)
                                             (corr: [np]i64) (points: [np][3]f64) (us: [np][2]f64)
                                             (theta: [26]f64): [np * 3][28]f64 =
  transpose (jmp (\(shift: [2]f64, t) ->
                    complicated triangles corr points (map (map2 (+) shift) us)
                                (skin parents base_relatives inverse_base_absolutes base_positions weights mirrored t))
                 ([0, 0], theta)
                 (tabulate 28 (\i -> (unit 2 i, unit 26 (i - 2)))))

-- A synthetic model of nv vertices and np points.
def instance (nv: i64) (np: i64) =
  let parents = [-1i64, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 0, 13, 14, 15, 0, 17, 18, 19, 0]
  let shift = map (map (0.1 *)) (fill_2d (uniform 201) 22 3)
  let total = loop t = copy shift for b < 22 do if parents[b] < 0 then t else t with [b] = map2 (+) t[parents[b]] shift[b]
  let moved (s: f64) (v: [3]f64) = [[1, 0, 0, s * v[0]], [0, 1, 0, s * v[1]], [0, 0, 1, s * v[2]], [0, 0, 0, 1]]
  let bone i = i64.f64 (22 * uniform 204 i)
  in (parents, map (moved 1) shift, map (moved (-1)) total,
      map (\p -> [p[0], p[1], p[2], 1]) (fill_2d (uniform 202) nv 3),
      tabulate_2d nv 22 (\v b -> f64.bool (b == bone (2 * v)) * uniform 203 (2 * v) +
                                 f64.bool (b == bone (2 * v + 1)) * (1 - uniform 203 (2 * v))),
      tabulate nv (\v -> [v, (v + 1) % nv, (v + 2) % nv]),
      tabulate np (\i -> i64.f64 (f64.i64 nv * uniform 205 i)),
      map (map (0.1 *)) (transpose (fill_2d (normal 206) 3 np)),
      map (map (/ 2)) (fill_2d (uniform 208) np 2),
      map (0.3 *) (fill (normal 207) 26))

-- The arguments of the entry points below.
entry inputs (nv: i64) (np: i64) = instance nv np

entry calculate_objective [nb] [nv] [nt] [np] (parents: [nb]i64) (base_relatives: [nb][4][4]f64)
                                              (inverse_base_absolutes: [nb][4][4]f64) (base_positions: [nv][4]f64)
                                              (weights: [nv][nb]f64) (_triangles: [nt][3]i64) (corr: [np]i64)
                                              (points: [np][3]f64) (_us: [np][2]f64) (theta: [26]f64) =
  simple corr points (skin parents base_relatives inverse_base_absolutes base_positions weights false theta)

entry calculate_jacobian [nb] [nv] [nt] [np] (parents: [nb]i64) (base_relatives: [nb][4][4]f64)
                                             (inverse_base_absolutes: [nb][4][4]f64) (base_positions: [nv][4]f64)
                                             (weights: [nv][nb]f64) (_triangles: [nt][3]i64) (corr: [np]i64)
                                             (points: [np][3]f64) (_us: [np][2]f64) (theta: [26]f64) =
  simple_jacobian parents base_relatives inverse_base_absolutes base_positions weights false corr points theta

entry complicated_objective [nb] [nv] [nt] [np] (parents: [nb]i64) (base_relatives: [nb][4][4]f64)
                                                (inverse_base_absolutes: [nb][4][4]f64) (base_positions: [nv][4]f64)
                                                (weights: [nv][nb]f64) (triangles: [nt][3]i64) (corr: [np]i64)
                                                (points: [np][3]f64) (us: [np][2]f64) (theta: [26]f64) =
  complicated triangles corr points us
              (skin parents base_relatives inverse_base_absolutes base_positions weights false theta)

entry complicated_jacobian_of [nb] [nv] [nt] [np] (parents: [nb]i64) (base_relatives: [nb][4][4]f64)
                                                  (inverse_base_absolutes: [nb][4][4]f64) (base_positions: [nv][4]f64)
                                                  (weights: [nv][nb]f64) (triangles: [nt][3]i64) (corr: [np]i64)
                                                  (points: [np][3]f64) (us: [np][2]f64) (theta: [26]f64) =
  complicated_jacobian parents base_relatives inverse_base_absolutes base_positions weights triangles false corr points us theta

-- All outputs contracted, and its derivatives with respect to theta, or to us and theta.
entry check (nv: i64) (np: i64) (mirrored: bool): (f64, f64, f64) =
  let (parents, relatives, inverses, positions, weights, _, corr, points, _, theta) = instance nv np
  let value = simple corr points (skin parents relatives inverses positions weights mirrored theta)
  let j = simple_jacobian parents relatives inverses positions weights mirrored corr points theta
  in check_of (contract value) (map contract (transpose j))
-- ==
-- entry: check
-- input { 20i64 7i64 false } output { 0.0693859245883872 -3.99980525487755 0.772813980999179 }
-- input { 20i64 7i64 true } output { 0.780925820187332 -4.84085169124374 0.631651850260853 }

entry check_complicated (nv: i64) (np: i64): (f64, f64, f64) =
  let (parents, relatives, inverses, positions, weights, triangles, corr, points, us, theta) = instance nv np
  let value = complicated triangles corr points us (skin parents relatives inverses positions weights false theta)
  let j = complicated_jacobian parents relatives inverses positions weights triangles false corr points us theta
  let of_us = tabulate_2d np 2 (\i c -> f64.sum (tabulate 3 (\r -> j[3 * i + r, c] / f64.i64 (1 + 3 * i + r))))
  in check_of (contract value) (flatten of_us ++ drop 2 (map contract (transpose j)))
-- ==
-- entry: check_complicated
-- input { 20i64 7i64 } output { -0.514574522213811 -2.35208896150706 -0.5522409997788 }
