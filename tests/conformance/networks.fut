-- Gradients of networks: what a layer computed is kept for the way back, and all products are tiles where they are large enough.
-- Each is compared with a derivative in one direction: adjoint times direction is seed times tangent. Sizes are on both sides of
-- the smallest tile.

def numbers (s: f64) (n: i64) (m: i64): [n][m]f64 = tabulate_2d n m (\i j -> f64.sin (f64.i64 (i * 7 + j * j * 3) * s) / 2)
def product [n][m][k] (a: [n][k]f64) (b: [k][m]f64): [n][m]f64 = map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a
def times [n][m] (a: [n][m]f64) (b: [n][m]f64): f64 = f64.sum (map2 (\x y -> f64.sum (map2 (*) x y)) a b)
def squares [n][m] (a: [n][m]f64): f64 = times a a
def softmax [n] (r: [n]f64): [n]f64 =
  let m = f64.maximum r
  let e = map (\a -> f64.exp (a - m)) r
  let t = f64.sum e
  in map (/ t) e

def deep [n][d] (x: [n][d]f64) (ws: [3][d][d]f64): f64 = squares (loop h = x for w in ws do map (map f64.tanh) (product h w))
def neighbours [n][d] (x: [n][d]f64) (ws: [3][d][d]f64): f64 =
  let layer h w = map (\i -> map (\c -> f64.tanh (f64.sum (map3 (\a b c -> (a + b) * c) h[i] h[(i * 3 + 1) % n] c))) (transpose w)) (iota n)
  in squares (layer (layer x ws[0]) ws[1])
def attention [n][d] (x: [n][d]f64) (ws: [3][d][d]f64): f64 =
  let (q, k, v) = (product x ws[0], map (map f64.tanh) (product x ws[1]), map (map f64.tanh) (product x ws[2]))
  in squares (product (map softmax (product q (transpose k))) v)
def evidence [n][d] (x: [n][d]f64) (ws: [3][d][d]f64): f64 =
  f64.log (f64.sum (map (\r -> f64.sum (map f64.exp r)) (product (map (map f64.tanh) (product x ws[0])) ws[1])))

def agrees [n][d] (f: [n][d]f64 -> [3][d][d]f64 -> f64) (x: [n][d]f64): bool =
  let ws = map (\s -> numbers s d d) [0.3, 0.7, 1.1]
  let (dx, dws) = (numbers 0.9 n d, map (\s -> numbers s d d) [0.2, 1.3, 0.5])
  let (ax, aws) = vjp (\(x, ws) -> f x ws) (x, ws) 1
  let t = jvp (\(x, ws) -> f x ws) (x, ws) (dx, dws)
  in f64.abs (times ax dx + f64.sum (map2 times aws dws) - t) <= 1e-10 * (1 + f64.abs t)

-- ==
-- entry: test_deep test_neighbours test_attention test_evidence
-- input { 3i64 2i64 } output { true }
-- input { 17i64 33i64 } output { true }
entry test_deep (n: i64) (d: i64) = agrees deep (numbers 0.1 n d)
entry test_neighbours (n: i64) (d: i64) = agrees neighbours (numbers 0.1 n d)
entry test_attention (n: i64) (d: i64) = agrees attention (numbers 0.1 n d)
entry test_evidence (n: i64) (d: i64) = agrees evidence (numbers 0.1 n d)
