-- What is done to each row of a matrix, to each place of a picture, or to each point of a cloud.
entry softmax [n][m] (xss: [n][m]f32): [n][m]f32 =
  map (\xs -> let top = f32.maximum xs let es = map (\x -> f32.exp (x - top)) xs let sum = f32.sum es in map (/ sum) es) xss
entry blurred [n][m][k] (picture: [n][m]f32) (weights: [k][k]f32): [][]f32 =
  tabulate_2d (n - k + 1) (m - k + 1) (\i j ->
    f32.sum (tabulate k (\a -> f32.sum (tabulate k (\b -> picture[i + a, j + b] * weights[a, b])))))
def nearest [k][d] (centres: [k][d]f32) (p: [d]f32): i64 =
  (loop (best, least) = (0, f32.inf) for i < k do
     let far = f32.sum (map2 (\x y -> (x - y) * (x - y)) p centres[i])
     in if far < least then (i, far) else (best, least)).0
entry assigned [n][k][d] (points: [n][d]f32) (centres: [k][d]f32): ([k]i32, [k]f32) =
  let which = map (nearest centres) points
  in (reduce_by_index (replicate k 0) (+) 0 which (replicate n 1), reduce_by_index (replicate k 0) (+) 0 which (map f32.sum points))
entry forces [n] (points: [n][3]f64): [n][3]f64 =
  let energy (ps: [n][3]f64) = f64.sum (map (\a -> f64.sum (map (\b -> 1 / f64.sqrt (f64.sum (map2 (\x y -> (x - y) ** 2) a b) + 1)) ps)) ps)
  in vjp energy points 1
-- Adjoints of windows: of one picture and its weights, and of a layer of a network, whose windows are flattened.
entry blurred_gradient [n][m][k] (picture: [n][m]f32) (weights: [k][k]f32): ([n][m]f32, [k][k]f32) =
  vjp (\(p, w) -> f32.sum (flatten (map (map f32.sin) (blurred p w)))) (picture, weights) 1
entry layer_gradient [b][c][h][w][o][k] (pictures: [b][c][h][w]f32) (weights: [o][c][k][k]f32): ([b][c][h][w]f32, [o][c][k][k]f32) =
  let at (x: [h][w]f32) (i: i64) (j: i64) = flatten (x[i:i + k, j:j + k] :> [k][k]f32)
  let layer (x: [c][h][w]f32) (f: [c][k][k]f32) =
    tabulate_2d (h - k + 1) (w - k + 1) (\i j -> f32.max 0 (f32.sum (map2 (\y g -> f32.sum (map2 (*) (at y i j) (flatten g))) x f)))
  in vjp (\(xs, fs) -> f32.sum (map (\x -> f32.sum (map (\f -> f32.sum (flatten (layer x f))) fs)) xs)) (pictures, weights) 1

-- A recurrent layer over time, for some sequences at once.
def times [n][k][m] (a: [n][k]f32) (b: [k][m]f32): [n][m]f32 = map (\r -> map (\c -> f32.sum (map2 (*) r c)) (transpose b)) a
def recurrent [t][b][d][h] (xs: [t][b][d]f32) (w: [d][h]f32) (u: [h][h]f32) (bias: [h]f32): f32 =
  let step y x = map2 (map3 (\c p q -> f32.tanh (c + p + q)) bias) (times x w) (times y u)
  in f32.sum (flatten (loop y = replicate b (replicate h 0) for i < t do step y xs[i]))

entry recurrent_gradient [t][b][d][h] (xs: [t][b][d]f32) (w: [d][h]f32) (u: [h][h]f32) (bias: [h]f32): ([d][h]f32, [h][h]f32, [h]f32) =
  vjp (\(w, u, bias) -> recurrent xs w u bias) (w, u, bias) 1
-- The same layer, written for one sequence.
entry sequences_gradient [t][b][d][h] (xs: [b][t][d]f32) (w: [h][d]f32) (u: [h][h]f32) (bias: [h]f32): ([h][d]f32, [h][h]f32, [h]f32) =
  let dot x y = f32.sum (map2 (*) x y)
  let last (w: [h][d]f32, u: [h][h]f32, bias: [h]f32) (x: [t][d]f32): [h]f32 = loop y = replicate h 0 for i < t do map3 (\c p q -> f32.tanh (c + dot p x[i] + dot q y)) bias w u
  in vjp (\ws -> f32.sum (map (\x -> f32.sum (last ws x)) xs)) (w, u, bias) 1
-- Attention that looks back only, for several heads.
def attention [n][d] (q: [n][d]f32) (k: [n][d]f32) (v: [n][d]f32): [n][d]f32 =
  let weights xs = let most = f32.maximum xs let es = map (\x -> f32.exp (x - most)) xs let all = f32.sum es in map (/ all) es
  let scores = tabulate_2d n n (\i j -> if j <= i then f32.sum (map2 (*) q[i] k[j]) / f32.sqrt (f32.i64 d) else -1e30)
  in map (\s -> map (\c -> f32.sum (map2 (*) s c)) (transpose v)) (map weights scores)
entry attention_of_heads [h][n][d] (q: [h][n][d]f32) (k: [h][n][d]f32) (v: [h][n][d]f32) = map3 attention q k v
-- Means and variances of channels, which lie between pictures and points.
entry channels [b][c][n][m] (xs: [b][c][n][m]f32): ([c]f32, [c]f32) =
  let mean [n] (xs: [n]f32) = f32.sum xs / f32.i64 n
  in unzip (map (\x -> let x = flatten_3d x let m = mean x in (m, mean (map (\a -> (a - m) * (a - m)) x))) (transpose xs))
-- Rows of one number each.
entry filled [n] (m: i64) (xs: [n]f32): [n][m]f32 = map (\x -> replicate m (2 * x)) xs
-- A matrix and a transposed one; columns that are divided by their sums.
entry added_across [n][m] (a: [n][m]f32) (b: [m][n]f32): [n][m]f32 = map2 (map2 (+)) a (transpose b)
entry shares_of_columns [n][k] (xs: [n][k]f32): [n][k]f32 = transpose (map (\c -> let s = f32.sum c in map (/ s) c) (transpose xs))
