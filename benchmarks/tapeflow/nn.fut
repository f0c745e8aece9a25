-- nn.fut - softmax regression on images: mean negative log likelihood of a batch, and the gradient.

import "../input"

def objective [k] [d] [c] (images: [k][d]f64) (labels: [k]i64) (w: [c][d]f64, b: [c]f64): f64 =
  let loss (image: [d]f64) (label: i64) =
    let logits = map2 (\row bias -> bias + f64.sum (map2 (\v p -> v * (p / 255)) row image)) w b
    let top = f64.maximum logits
    in top + f64.log (f64.sum (map (\v -> f64.exp (v - top)) logits)) - logits[label]
  in f64.sum (map2 loss images labels) / f64.i64 k

def gradient [k] [d] [c] (images: [k][d]f64) (labels: [k]i64) (p: ([c][d]f64, [c]f64)) = vjp (objective images labels) p 1

-- k images of d pixels, c classes.
def instance (k: i64) (d: i64) (c: i64) =
  (map (map (255 *)) (fill_2d (uniform 211) k d), tabulate k (\i -> i64.f64 (f64.i64 c * uniform 212 i)),
   fill_2d (\i -> 2 * uniform 213 i - 1) c d, fill (\i -> 2 * uniform 214 i - 1) c)

entry inputs (k: i64) (d: i64) (c: i64) = instance k d c

entry calculate_objective [k] [d] [c] (images: [k][d]f64) (labels: [k]i64) (w: [c][d]f64) (b: [c]f64): f64 =
  objective images labels (w, b)
entry calculate_jacobian [k] [d] [c] (images: [k][d]f64) (labels: [k]i64) (w: [c][d]f64) (b: [c]f64): ([c][d]f64, [c]f64) =
  gradient images labels (w, b)

entry check (k: i64) (d: i64) (c: i64): (f64, f64, f64) =
  let (images, labels, w, b) = instance k d c
  let (gw, gb) = gradient images labels (w, b)
  in check_of (objective images labels (w, b)) (flatten gw ++ gb)
-- ==
-- entry: check
-- input { 4i64 9i64 5i64 } output { 2.67785529850601 1.75162308040602e-16 -0.0330427635827533 }
