-- lstm.fut - a batched LSTM network: mean squared error of its predictions, and the gradient.
--
-- bs sequences of n inputs of width d, hidden state and cells [h][bs]. Rows of the gates: input, forget, cell, output.

import "../input"

def dot [n] (a: [n]f64) (b: [n]f64): f64 = f64.sum (map2 (*) a b)

-- a times b, where b is given by its columns.
def times [n] [m] [k] (a: [n][k]f64) (b: [m][k]f64): [n][m]f64 = map (\row -> map (dot row) b) a

def sigmoid (x: f64): f64 = 1 / (1 + f64.exp (-x))

type parameters [d] [h] [g] = {w_ih: [g][d]f64, w_hh: [g][h]f64, b_ih: [g]f64, b_hh: [g]f64, w_y: [h][d]f64, b_y: [d]f64}

def objective [n] [bs] [d] [h] [g] (xs: [n][bs][d]f64) (targets: [n][bs][d]f64) (h0: [h][bs]f64) (c0: [h][bs]f64)
                                   (p: parameters [d] [h] [g]): f64 =
  let (_, _, total) =
    loop (hidden, cell, total) = (h0, c0, 0) for (x, target) in zip xs targets do
      let z = map3 (map3 (\a b bias -> a + b + bias)) (times p.w_ih x) (times p.w_hh (transpose hidden))
                   (map2 (\a b -> replicate bs (a + b)) p.b_ih p.b_hh)
      let cell = tabulate_2d h bs (\i j ->
        sigmoid z[h + i, j] * cell[i, j] + sigmoid z[i, j] * f64.tanh z[2 * h + i, j])
      let hidden = tabulate_2d h bs (\i j -> sigmoid z[3 * h + i, j] * f64.tanh cell[i, j])
      let predicted = map (map2 (+) p.b_y) (times (transpose hidden) (transpose p.w_y))
      let off = f64.sum (flatten (map2 (map2 (\t y -> (t - y) * (t - y))) target predicted))
      in (hidden, cell, total + off)
  in total / f64.i64 (n * bs * d)

def gradient [n] [bs] [d] [h] [g] (xs: [n][bs][d]f64) (targets: [n][bs][d]f64) (h0: [h][bs]f64) (c0: [h][bs]f64)
                                  (p: parameters [d] [h] [g]): parameters [d] [h] [g] =
  vjp (objective xs targets h0 c0) p 1

def instance (bs: i64) (n: i64) (d: i64) (h: i64) =
  let parameter s i = (2 * uniform s i - 1) / f64.sqrt (f64.i64 h)
  in (fill_3d (uniform 31) n bs d, fill_3d (uniform 32) n bs d, fill_2d (uniform 33) h bs, fill_2d (uniform 34) h bs,
      {w_ih = fill_2d (parameter 35) (4 * h) d, w_hh = fill_2d (parameter 36) (4 * h) h,
       b_ih = fill (parameter 37) (4 * h), b_hh = fill (parameter 38) (4 * h),
       w_y = fill_2d (parameter 39) h d, b_y = fill (parameter 40) d})

-- The arguments of the two entry points below.
entry inputs (bs: i64) (n: i64) (d: i64) (h: i64) =
  let (xs, targets, h0, c0, p) = instance bs n d h
  in (xs, targets, h0, c0, p.w_ih, p.w_hh, p.b_ih, p.b_hh, p.w_y, p.b_y)

entry calculate_objective [n] [bs] [d] [h] [g] (xs: [n][bs][d]f64) (targets: [n][bs][d]f64) (h0: [h][bs]f64) (c0: [h][bs]f64)
                                               (w_ih: [g][d]f64) (w_hh: [g][h]f64) (b_ih: [g]f64) (b_hh: [g]f64)
                                               (w_y: [h][d]f64) (b_y: [d]f64): f64 =
  objective xs targets h0 c0 {w_ih, w_hh, b_ih, b_hh, w_y, b_y}

entry calculate_jacobian [n] [bs] [d] [h] [g] (xs: [n][bs][d]f64) (targets: [n][bs][d]f64) (h0: [h][bs]f64) (c0: [h][bs]f64)
                                              (w_ih: [g][d]f64) (w_hh: [g][h]f64) (b_ih: [g]f64) (b_hh: [g]f64)
                                              (w_y: [h][d]f64) (b_y: [d]f64) =
  let q = gradient xs targets h0 c0 {w_ih, w_hh, b_ih, b_hh, w_y, b_y}
  in (q.w_ih, q.w_hh, q.b_ih, q.b_hh, q.w_y, q.b_y)

entry check (bs: i64) (n: i64) (d: i64) (h: i64): (f64, f64, f64) =
  let (xs, targets, h0, c0, p) = instance bs n d h
  let q = gradient xs targets h0 c0 p
  in check_of (objective xs targets h0 c0 p)
              (flatten q.w_ih ++ flatten q.w_hh ++ q.b_ih ++ q.b_hh ++ flatten q.w_y ++ q.b_y)
-- ==
-- entry: check
-- input { 2i64 3i64 4i64 3i64 } output { 0.558233585570347 -1.15702732268 0.258557588996 }
-- input { 8i64 5i64 6i64 7i64 } output { 0.41026233807835 -0.6267023906 -0.123503727905 }
