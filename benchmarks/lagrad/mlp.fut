-- mlp.fut - a network of two hidden layers with ReLU: mean negative log likelihood of the labels, and the gradient.

import "../input"

def dot [n] (a: [n]f64) (b: [n]f64): f64 = f64.sum (map2 (*) a b)

-- w times the images, which are columns, plus the bias.
def layer [n] [m] [k] (w: [n][m]f64) (b: [n]f64) (x: [m][k]f64): [n][k]f64 =
  map2 (\row bias -> map (\column -> bias + dot row column) (transpose x)) w b

def relu (x: f64): f64 = f64.max 0 x

def objective [d] [k] [h] [o] (images: [d][k]f64) (labels: [k]i64)
                              (w0: [h][d]f64, b0: [h]f64, w1: [h][h]f64, b1: [h]f64, w2: [o][h]f64, b2: [o]f64): f64 =
  let hidden = map (map relu) (layer w0 b0 images)
  let hidden = map (map relu) (layer w1 b1 hidden)
  let loss logits label =
    let top = f64.maximum logits
    in top + f64.log (f64.sum (map (\v -> f64.exp (v - top)) logits)) - logits[label]
  in f64.sum (map2 loss (transpose (layer w2 b2 hidden)) labels) / f64.i64 k

def gradient [d] [k] [h] [o] (images: [d][k]f64) (labels: [k]i64)
                             (p: ([h][d]f64, [h]f64, [h][h]f64, [h]f64, [o][h]f64, [o]f64)) =
  vjp (objective images labels) p 1

-- Widths of input, hidden layers and output, number of images.
def instance (d: i64) (h: i64) (o: i64) (k: i64) =
  let parameter s width i = (2 * uniform s i - 1) / f64.sqrt (f64.i64 width)
  in (fill_2d (uniform 53) d k, tabulate k (\j -> i64.f64 (f64.i64 o * uniform 54 j)),
      (fill_2d (parameter 55 d) h d, fill (parameter 56 h) h, fill_2d (parameter 57 h) h h, fill (parameter 58 h) h,
       fill_2d (parameter 59 h) o h, fill (parameter 60 h) o))

-- The arguments of the two entry points below.
entry inputs (d: i64) (h: i64) (o: i64) (k: i64) =
  let (images, labels, (w0, b0, w1, b1, w2, b2)) = instance d h o k
  in (images, labels, w0, b0, w1, b1, w2, b2)

entry calculate_objective [d] [k] [h] [o] (images: [d][k]f64) (labels: [k]i64) (w0: [h][d]f64) (b0: [h]f64)
                                          (w1: [h][h]f64) (b1: [h]f64) (w2: [o][h]f64) (b2: [o]f64) =
  objective images labels (w0, b0, w1, b1, w2, b2)

entry calculate_jacobian [d] [k] [h] [o] (images: [d][k]f64) (labels: [k]i64) (w0: [h][d]f64) (b0: [h]f64)
                                         (w1: [h][h]f64) (b1: [h]f64) (w2: [o][h]f64) (b2: [o]f64) =
  gradient images labels (w0, b0, w1, b1, w2, b2)

entry check (d: i64) (h: i64) (o: i64) (k: i64): (f64, f64, f64) =
  let (images, labels, p) = instance d h o k
  let (w0, b0, w1, b1, w2, b2) = gradient images labels p
  in check_of (objective images labels p) (flatten w0 ++ b0 ++ flatten w1 ++ b1 ++ flatten w2 ++ b2)
-- ==
-- entry: check
-- input { 6i64 5i64 4i64 3i64 } output { 1.71968544510425 1.31570367476 0.692220289381 }
-- compiled input { 784i64 32i64 10i64 8i64 } output { 2.35761039451689 51.9278993963 1.00170778126 }
