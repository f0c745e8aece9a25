-- ba.fut - bundle adjustment of ADBench: reprojection errors and their sparse Jacobian.
--
-- n cameras (rotation vector, centre, focal length, principal point, two radial coefficients), m points, p observations
-- (camera, point) with weights and features. The Jacobian is compressed by rows: each of the 2 p rows of the reprojection
-- errors touches one camera, one point and one weight. So two seeds for an observation give all of it.

import "../input"

type vector = (f64, f64, f64)
def dot ((a, b, c): vector) ((x, y, z): vector): f64 = a * x + b * y + c * z
def add ((a, b, c): vector) ((x, y, z): vector): vector = (a + x, b + y, c + z)
def sub ((a, b, c): vector) ((x, y, z): vector): vector = (a - x, b - y, c - z)
def scale (s: f64) ((x, y, z): vector): vector = (s * x, s * y, s * z)
def cross ((a, b, c): vector) ((x, y, z): vector): vector = (b * z - c * y, c * x - a * z, a * y - b * x)

def rotate (r: vector) (v: vector): vector =
  let square = dot r r
  in if square != 0
     then let angle = f64.sqrt square
          let axis = scale (1 / angle) r
          let (c, s) = (f64.cos angle, f64.sin angle)
          in add (add (scale c v) (scale s (cross axis v))) (scale (dot axis v * (1 - c)) axis)
     else add v (cross r v)

def project (cam: [11]f64) (x: [3]f64): (f64, f64) =
  let (x, y, z) = rotate (cam[0], cam[1], cam[2]) (sub (x[0], x[1], x[2]) (cam[3], cam[4], cam[5]))
  let (u, v) = (x / z, y / z)
  let rho = u * u + v * v
  let radial = 1 + cam[9] * rho + cam[10] * rho * rho
  in (cam[6] * u * radial + cam[7], cam[6] * v * radial + cam[8])

def reprojection_error (feature: [2]f64) (cam: [11]f64) (x: [3]f64) (w: f64): (f64, f64) =
  let (u, v) = project cam x
  in (w * (u - feature[0]), w * (v - feature[1]))

def weight_error (w: f64): f64 = 1 - w * w

def objective [n] [m] [p] (cams: [n][11]f64) (points: [m][3]f64) (w: [p]f64) (features: [p][2]f64)
                      (observations: [p][2]i64): ([p][2]f64, [p]f64) =
  (map3 (\wi f o -> let (u, v) = reprojection_error f cams[o[0]] points[o[1]] wi in [u, v]) w features observations,
   map weight_error w)

-- Row pointers, columns, values.
def jacobian [n] [m] [p] (cams: [n][11]f64) (points: [m][3]f64) (w: [p]f64) (features: [p][2]f64)
                     (observations: [p][2]i64): ([]i64, []i64, []f64) =
  let block f (o: [2]i64) wi =
    mjp (\(c, x, v) -> reprojection_error f c x v) (cams[o[0]], points[o[1]], wi) [(1, 0), (0, 1)]
  let values =
    map3 (\wi f o -> map (\(c: [11]f64, x: [3]f64, v) -> c ++ x ++ [v]) (block f o wi)) w features observations
  let columns =
    map2 (\i (o: [2]i64) ->
      let row = tabulate 15 (\j -> if j < 11 then 11 * o[0] + j
                                   else if j < 14 then 11 * n + 3 * o[1] + j - 11
                                   else 11 * n + 3 * m + i)
      in [row, row]) (iota p) observations
  in (tabulate (2 * p) (15 *) ++ tabulate (p + 1) (\i -> 30 * p + i),
      flatten_3d columns ++ tabulate p (\i -> 11 * n + 3 * m + i),
      flatten_3d (values :> [p][2][15]f64) ++ map (\v -> vjp weight_error v 1) w)

-- One instance replicated.
def instance (n: i64) (m: i64) (p: i64) =
  (replicate n [1.797201f64, 0.590697, -0.635786, 90.859550, 29.361415, 28.777534, 211.628116, -0.284531, -14.762924, 0.058931, 0.069976],
   replicate m [4.173048f64, 5.586898, 1.403869],
   replicate p 0.417022f64,
   replicate p [-525.672849f64, 161.811929],
   tabulate p (\i -> [i % n, i % m]))

entry inputs (n: i64) (m: i64) (p: i64) = instance n m p

entry calculate_objective [n] [m] [p] (cams: [n][11]f64) (points: [m][3]f64) (w: [p]f64) (features: [p][2]f64)
                                      (observations: [p][2]i64) =
  objective cams points w features observations

entry calculate_jacobian [n] [m] [p] (cams: [n][11]f64) (points: [m][3]f64) (w: [p]f64) (features: [p][2]f64)
                                     (observations: [p][2]i64) =
  jacobian cams points w features observations

-- The first of n observations: its three errors contracted, and the gradient with respect to camera, point and weight.
entry check (n: i64): (f64, f64, f64) =
  let (cams, points, w, features, observations) = instance n n n
  let (e, we) = objective cams points w features observations
  let (_, _, v) = jacobian cams points w features observations
  let g = tabulate 15 (\j -> v[j] + v[15 + j] / 2 + (if j == 14 then v[30] / 3 else 0))
  in check_of (contract [e[0, 0], e[0, 1], we[0]]) g
-- ==
-- entry: check
-- input { 1i64 } output { 0.136287764275578 -1174.10050619 1624.82308171 }

-- The size of the whole Jacobian, its first column numbers of the last observation, and all its values of that observation.
entry check_last (n: i64) (m: i64) (p: i64): (i64, i64, []i64, []f64) =
  let (cams, points, w, features, observations) = instance n m p
  let (rows, cols, vals) = jacobian cams points w features observations
  in (last rows, last cols, cols[30 * p - 15:30 * p], vals[30 * p - 30:30 * p] ++ vals[31 * p - 1:])
-- ==
-- entry: check_last
-- input { 2i64 10i64 10i64 }
-- output { 310i64 61i64 [11i64, 12i64, 13i64, 14i64, 15i64, 16i64, 17i64, 18i64, 19i64, 20i64, 21i64, 49i64, 50i64, 51i64, 61i64]
--   [228.8772022082468, 634.5748114955455, -782.2228662593405, 2.4289261560715967, -11.782807962801131, 2.541693124877435,
--    -1.036570849585181, 0.417022, 0.0, -350.7395210960053, -912.1077736680091, -2.4289261560715967, 11.782807962801131,
--    -2.541693124877435, -0.6451670397131011, -120.54243599499694, -385.6732407664605, 97.54762914033277, -1.7837210852957666,
--    4.154667994331262, 2.0402571802989886, 0.34917639743314605, 0.0, 0.417022, 118.14914770441455, 307.25010896034354,
--    1.7837210852957666, -4.154667994331262, -2.0402571802989886, 0.6233359215531493, -0.834044] }
