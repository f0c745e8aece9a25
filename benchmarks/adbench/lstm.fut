-- lstm.fut - the diagonal LSTM of ADBench: loss over a sequence and its gradient.
--
-- Layer i has the weights main[2 i] and the biases main[2 i + 1], each in four blocks of b (forget, input, output, change);
-- extra holds input weight, output weight and output bias; state the hidden and the cell row of each layer.

import "../input"

def sigmoid (x: f64): f64 = 1 / (1 + f64.exp (-x))

-- One layer on input x: new hidden and cell value of each component. Forget and output gate read x, the other two read h.
def layer [b] [w] (weight: [w]f64) (bias: [w]f64) (x: [b]f64) (h: [b]f64) (c: [b]f64): *[b](f64, f64) =
  tabulate b (\j ->
    let forget = sigmoid (x[j] * weight[j] + bias[j])
    let input = sigmoid (h[j] * weight[b + j] + bias[b + j])
    let output = sigmoid (x[j] * weight[2 * b + j] + bias[2 * b + j])
    let change = f64.tanh (h[j] * weight[3 * b + j] + bias[3 * b + j])
    let cell = c[j] * forget + input * change
    in (output * f64.tanh cell, cell))

def objective [r] [w] [s] [c] [b] (state: [s][b]f64) (sequence: [c][b]f64) (main: [r][w]f64) (extra: [3][b]f64): f64 =
  let layers = r / 2
  let hidden = tabulate layers (\i -> state[2 * i])
  let cells = tabulate layers (\i -> state[2 * i + 1])
  let (_, _, total) =
    loop (hidden, cells, total) = (hidden, cells, 0) for t < c - 1 do
      let (hidden, cells, x) =
        loop (hidden, cells, x) = (hidden, cells, map2 (*) sequence[t] extra[0]) for i < layers do
          let new = layer main[2 * i] main[2 * i + 1] x hidden[i] cells[i]
          let h = map (.0) new
          in (hidden with [i] = h, cells with [i] = map (.1) new, h)
      let y = map3 (\v e f -> v * e + f) x extra[1] extra[2]
      let l = f64.log (2 + f64.sum (map f64.exp y))
      in (hidden, cells, total + f64.sum (map2 (\q v -> q * (v - l)) sequence[t + 1] y))
  in -total / f64.i64 (b * (c - 1))

def gradient [r] [w] [s] [c] [b] (state: [s][b]f64) (sequence: [c][b]f64) (main: [r][w]f64) (extra: [3][b]f64) =
  vjp (\(m, e) -> objective state sequence m e) (main, extra) 1

def instance (l: i64) (c: i64) (b: i64) =
  (fill_2d (uniform 11) (2 * l) (4 * b), fill_2d (uniform 12) 3 b, fill_2d (uniform 13) (2 * l) b,
   map (map (\u -> if u < 0.5 then 1f64 else 0)) (fill_2d (uniform 14) c b))

-- The arguments of the two entry points below.
entry inputs (l: i64) (c: i64) (b: i64) = instance l c b

entry calculate_objective [r] [w] [s] [c] [b] (main: [r][w]f64) (extra: [3][b]f64) (state: [s][b]f64) (sequence: [c][b]f64) =
  objective state sequence main extra

entry calculate_jacobian [r] [w] [s] [c] [b] (main: [r][w]f64) (extra: [3][b]f64) (state: [s][b]f64) (sequence: [c][b]f64) =
  gradient state sequence main extra

-- == entry: calculate_objective
-- input { [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]] [[0.5, 0.6], [0.7, 0.8], [0.1, -0.1]]
--   [[0.1, 0.2], [0.3, 0.4]] [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] }
-- output { 0.9836970280661379 }

-- == entry: calculate_jacobian
-- input { [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]] [[0.5, 0.6], [0.7, 0.8], [0.1, -0.1]]
--   [[0.1, 0.2], [0.3, 0.4]] [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] }
-- output {
--   [[0.00015585490077974873, -0.0032808381098622897, -0.0008305089794378279, -0.004048083290824194, 0.0016690358589178964,
--     -0.006698490476092445, -0.003084979127963142, -0.013175168840763862],
--    [-0.00286266174933012, -0.015406080576879278, -0.003508643045849048, -0.018315858720279906, -0.004301071381889759,
--     -0.029892282381280347, -0.012818920279117726, -0.06003435475704127]]
--   [[0.0017002068390738463, -0.007792103179379876], [-0.008645077040020127, -0.09042793095792052],
--    [-0.03188112982246162, -0.30362514700631726]] }

entry check (l: i64) (c: i64) (b: i64): (f64, f64, f64) =
  let (main, extra, state, sequence) = instance l c b
  let (gm, ge) = gradient state sequence main extra
  in check_of (objective state sequence main extra) (flatten gm ++ flatten ge)
-- ==
-- entry: check
-- input { 1i64 3i64 2i64 } output { 0.530249863807324 -0.333634595712 -0.000532551313445 }
-- input { 2i64 8i64 5i64 } output { 0.76301886372934 -0.103472905857 0.0492259935141 }
-- compiled input { 2i64 64i64 14i64 } output { 1.36905790636592 -0.0212410275016 -0.0238422836273 }
