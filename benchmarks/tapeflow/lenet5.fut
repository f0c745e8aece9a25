-- lenet5.fut - LeNet-5: mean negative log likelihood of the labels of some images, and the gradient.

import "../input"

-- Valid convolution of all channels with each filter, tanh, mean of each 2x2 square.
def convolve [ci] [co] [n] (m: i64) (w: [co][ci][5][5]f64) (b: [co]f64) (x: [ci][n][n]f64): [co][m][m]f64 =
  let at (filter: [ci][5][5]f64) (bias: f64) (i: i64) (j: i64) =
    f64.tanh (bias + f64.sum (map2 (\f channel ->
      f64.sum (tabulate 25 (\k -> f[k / 5, k % 5] * channel[i + k / 5, j + k % 5]))) filter x))
  in map2 (\filter bias ->
       let y = tabulate_2d (2 * m) (2 * m) (at filter bias)
       in tabulate_2d m m (\i j -> (y[2 * i, 2 * j] + y[2 * i, 2 * j + 1] + y[2 * i + 1, 2 * j] + y[2 * i + 1, 2 * j + 1]) / 4)) w b

def dense [n] [m] (w: [n][m]f64) (b: [n]f64) (x: [m]f64): [n]f64 =
  map2 (\row bias -> bias + f64.sum (map2 (*) row x)) w b

type parameters = ([6][1][5][5]f64, [6]f64, [16][6][5][5]f64, [16]f64, [120][400]f64, [120]f64, [84][120]f64, [84]f64,
                   [10][84]f64, [10]f64)

def objective [k] (images: [k][32][32]f64) (labels: [k]i64) ((w1, b1, w2, b2, w3, b3, w4, b4, w5, b5): parameters): f64 =
  let loss (image: [32][32]f64) (label: i64) =
    let features = convolve 5 w2 b2 (convolve 14 w1 b1 [image])
    let x = map f64.tanh (dense w3 b3 (flatten_3d features :> [400]f64))
    let logits = dense w5 b5 (map f64.tanh (dense w4 b4 x))
    let top = f64.maximum logits
    in top + f64.log (f64.sum (map (\v -> f64.exp (v - top)) logits)) - logits[label]
  in f64.sum (map2 loss images labels) / f64.i64 k

def gradient [k] (images: [k][32][32]f64) (labels: [k]i64) (p: parameters): parameters = vjp (objective images labels) p 1

def instance (k: i64) =
  let p s i = 0.2 * (2 * uniform s i - 1)
  let filters s n m: [n][m][5][5]f64 = tabulate_2d n m (\i j -> tabulate_2d 5 5 (\a b -> p s (((i * m + j) * 5 + a) * 5 + b)))
  in (fill_3d (uniform 90) k 32 32, tabulate k (\i -> (3 + i) % 10),
      (filters 91 6 1, fill (p 92) 6, filters 93 16 6, fill (p 94) 16, fill_2d (p 95) 120 400, fill (p 96) 120,
       fill_2d (p 97) 84 120, fill (p 98) 84, fill_2d (p 99) 10 84, fill (p 100) 10): parameters)

entry inputs (k: i64) =
  let (images, labels, (w1, b1, w2, b2, w3, b3, w4, b4, w5, b5)) = instance k
  in (images, labels, w1, b1, w2, b2, w3, b3, w4, b4, w5, b5)

entry calculate_objective [k] (images: [k][32][32]f64) (labels: [k]i64) (w1: [6][1][5][5]f64) (b1: [6]f64)
                              (w2: [16][6][5][5]f64) (b2: [16]f64) (w3: [120][400]f64) (b3: [120]f64)
                              (w4: [84][120]f64) (b4: [84]f64) (w5: [10][84]f64) (b5: [10]f64): f64 =
  objective images labels (w1, b1, w2, b2, w3, b3, w4, b4, w5, b5)
entry calculate_jacobian [k] (images: [k][32][32]f64) (labels: [k]i64) (w1: [6][1][5][5]f64) (b1: [6]f64)
                             (w2: [16][6][5][5]f64) (b2: [16]f64) (w3: [120][400]f64) (b3: [120]f64)
                             (w4: [84][120]f64) (b4: [84]f64) (w5: [10][84]f64) (b5: [10]f64) =
  gradient images labels (w1, b1, w2, b2, w3, b3, w4, b4, w5, b5)

entry check (k: i64): (f64, f64, f64) =
  let (images, labels, p) = instance k
  let (w1, b1, w2, b2, w3, b3, w4, b4, w5, b5) = gradient images labels p
  in check_of (objective images labels p)
              (flatten (flatten_3d w1) ++ b1 ++ flatten (flatten_3d w2) ++ b2 ++ flatten w3 ++ b3 ++ flatten w4 ++ b4 ++
               flatten w5 ++ b5)
-- ==
-- entry: check
-- compiled input { 1i64 } output { 2.80337358060652 -32.9654452496 4.33598286193 }
