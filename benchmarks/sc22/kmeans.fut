-- kmeans.fut - k-means clustering by Newton's method: cost, gradient and the diagonal of the Hessian (which is diagonal).

import "../input"

def distance [d] (p: [d]f64) (c: [d]f64): f64 = f64.sum (map2 (\a b -> (a - b) * (a - b)) p c)

def cost [n] [k] [d] (points: [n][d]f64) (centroids: [k][d]f64): f64 =
  f64.sum (map (\p -> f64.minimum (map (distance p) centroids)) points)

-- Gradient, and its derivative in the direction of all ones.
def derivatives [n] [k] [d] (points: [n][d]f64) (centroids: [k][d]f64): ([k][d]f64, [k][d]f64) =
  jvp2 (\c -> vjp (cost points) c 1) centroids (replicate k (replicate d 1))

def direction [n] [k] [d] (points: [n][d]f64) (centroids: [k][d]f64): [k][d]f64 =
  let (g, h) = derivatives points centroids
  in map2 (map2 (/)) g h

-- Newton steps until the centroids move by less than the tolerance, squared and summed.
def cluster [n] [k] [d] (points: [n][d]f64) (tolerance: f64) (limit: i64) (start: [k][d]f64): ([k][d]f64, i64) =
  let (centroids, steps, _) =
    loop (c, i, moved) = (start, 0, f64.inf) while i < limit && moved >= tolerance do
      let step = direction points c
      in (map2 (map2 (-)) c step, i + 1, f64.sum (flatten (map (map (\v -> v * v)) step)))
  in (centroids, steps)

-- n points and k of them as centroids.
def instance (k: i64) (n: i64) (d: i64): ([n][d]f64, [k][d]f64) =
  let points = fill_2d (uniform 21) n d
  in (points, points[n - k:] :> [k][d]f64)

-- The arguments of the entry points below.
entry inputs (k: i64) (n: i64) (d: i64) = instance k n d

entry calculate_objective [n] [k] [d] (points: [n][d]f64) (centroids: [k][d]f64): f64 = cost points centroids
entry calculate_jacobian [n] [k] [d] (points: [n][d]f64) (centroids: [k][d]f64): ([k][d]f64, [k][d]f64) =
  derivatives points centroids
entry dir [n] [k] [d] (points: [n][d]f64) (centroids: [k][d]f64): [k][d]f64 = direction points centroids
entry solve [n] [k] [d] (points: [n][d]f64) (centroids: [k][d]f64) (limit: i64): ([k][d]f64, i64) =
  cluster points 1 limit centroids

-- == entry: calculate_objective
-- input { [[0.0, 0.0], [1.0, 0.0], [5.0, 5.0], [6.0, 5.0], [5.0, 7.0]] [[0.0, 1.0], [6.0, 6.0]] } output { 8.0 }

-- == entry: dir
-- input { [[0.0, 0.0], [1.0, 0.0], [5.0, 5.0], [6.0, 5.0], [5.0, 7.0]] [[0.0, 1.0], [6.0, 6.0]] }
-- output { [[-0.5, 1.0], [0.66666666666666667, 0.33333333333333333]] }

-- In the tiny case the first step ends at the means, where the second does not move any more.
-- == entry: solve
-- input { [[0.0, 0.0], [1.0, 0.0], [5.0, 5.0], [6.0, 5.0], [5.0, 7.0]] [[0.0, 1.0], [6.0, 6.0]] 10i64 }
-- output { [[0.5, 0.0], [5.33333333333333333, 5.66666666666666667]] 2i64 }

entry check (k: i64) (n: i64) (d: i64): (f64, f64, f64) =
  let (points, centroids) = instance k n d
  in check_of (cost points centroids) (flatten (derivatives points centroids).0)
-- ==
-- entry: check
-- input { 3i64 20i64 2i64 } output { 2.22256994389428 -8.92378834702 -6.17552633225 }
-- input { 10i64 200i64 8i64 } output { 110.546283296068 -80.4159276253 -10.7567384719 }

-- Cluster sizes (half the Hessian's diagonal), sum and norm of the direction.
entry check_direction (k: i64) (n: i64) (d: i64): ([k]f64, f64, f64) =
  let (points, centroids) = instance k n d
  let step = flatten (direction points centroids)
  in (map (\h -> h[0] / 2) (derivatives points centroids).1, f64.sum step, f64.sqrt (f64.sum (map (\v -> v * v) step)))
-- ==
-- entry: check_direction
-- input { 3i64 20i64 2i64 } output { [10.0, 2.0, 8.0] -0.451181501424 0.307343747529 }
-- input { 10i64 200i64 8i64 }
-- output { [14.0, 11.0, 35.0, 27.0, 4.0, 32.0, 7.0, 29.0, 24.0, 17.0] -1.74308489252 1.22130386691 }
