-- kmeans_sparse.fut - k-means clustering by Newton's method of points that are the rows of a sparse matrix (values, column
-- numbers, row pointers); the centroids are dense.

import "../input"

-- |p - c|^2 = |c|^2 + sum of (v - 2 c[column]) v over the non-zeros of p.
def cost [k] [d] [nnz] [r] (values: [nnz]f64) (columns: [nnz]i64) (rows: [r]i64) (centroids: [k][d]f64): f64 =
  let norms = map (\c -> f64.sum (map (\v -> v * v) c)) centroids
  let row (i: i64) =
    f64.minimum (map2 (\c norm ->
      loop s = norm for e in rows[i]..<rows[i + 1] do s + (values[e] - 2 * c[columns[e]]) * values[e]) centroids norms)
  in f64.sum (tabulate (r - 1) row)

-- Gradient, and its derivative in the direction of all ones.
def derivatives [k] [d] [nnz] [r] (values: [nnz]f64) (columns: [nnz]i64) (rows: [r]i64) (centroids: [k][d]f64) =
  jvp2 (\c -> vjp (cost values columns rows) c 1) centroids (replicate k (replicate d 1))

def cluster [k] [d] [nnz] [r] (steps: i64) (values: [nnz]f64) (columns: [nnz]i64) (rows: [r]i64) (start: [k][d]f64) =
  loop c = start for _i < steps do
    let (g, h) = derivatives values columns rows c
    in map2 (map2 (\g h -> if h == 0 then 0 else g / h)) g h |> map2 (map2 (-)) c

-- n rows of width d, and the first k of them, dense, as centroids.
def instance (n: i64) (d: i64) (k: i64) (density: f64) =
  let entries (i: i64) =
    let found = filter (\c -> uniform 22 (i * d + c) < density) (iota d)
    in if null found then [(0, 0.5)] else map (\c -> (c, uniform 23 (i * d + c))) found
  let counts = tabulate n (\i -> length (entries i))
  let rows = [0] ++ scan (+) 0 counts
  let nnz = last rows
  let (columns, values) =
    unzip (loop out = replicate nnz (0, 0) for i < n do
             let found = entries i
             in loop out for e < length found do out with [rows[i] + e] = found[e])
  let centroids =
    loop c = replicate k (replicate d 0) for i < k do
      loop c for e in rows[i]..<rows[i + 1] do c with [i, columns[e]] = values[e]
  in (values, columns, rows, centroids)

-- The arguments of the entry points below.
entry inputs (n: i64) (d: i64) (k: i64) (density: f64) = instance n d k density

entry calculate_objective [k] [d] [nnz] [r] (values: [nnz]f64) (columns: [nnz]i64) (rows: [r]i64) (centroids: [k][d]f64) =
  cost values columns rows centroids
entry calculate_jacobian [k] [d] [nnz] [r] (values: [nnz]f64) (columns: [nnz]i64) (rows: [r]i64) (centroids: [k][d]f64) =
  derivatives values columns rows centroids
entry solve [k] [d] [nnz] [r] (values: [nnz]f64) (columns: [nnz]i64) (rows: [r]i64) (centroids: [k][d]f64) =
  cluster 10 values columns rows centroids

entry check (n: i64) (d: i64) (k: i64) (density: f64): (i64, f64, f64, f64) =
  let (values, columns, rows, centroids) = instance n d k density
  let (f, ones, cosines) = check_of (cost values columns rows centroids) (flatten (derivatives values columns rows centroids).0)
  in (length values, f, ones, cosines)
-- ==
-- entry: check
-- input { 12i64 10i64 3i64 0.3 } output { 33i64 9.47416716142806 0.242318185062 4.52271871901 }
