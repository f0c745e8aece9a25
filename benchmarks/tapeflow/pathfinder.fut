-- pathfinder.fut - the cheapest way down a grid, one column left or right in each row.

import "../input"

def costs [r] [c] (w: [r][c]f64): [c]f64 =
  loop row = w[0] for i in 1..<r do
    tabulate c (\j ->
      let best = if j > 0 then f64.min row[j - 1] row[j] else row[j]
      in w[i, j] + (if j < c - 1 then f64.min best row[j + 1] else best))

def gradient [r] [c] (w: [r][c]f64) (seed: [c]f64): [r][c]f64 = vjp costs w seed

entry inputs (r: i64) (c: i64): [r][c]f64 = fill_2d (uniform 77) r c

entry calculate_objective [r] [c] (w: [r][c]f64): [c]f64 = costs w
entry calculate_jacobian [r] [c] (w: [r][c]f64): [r][c]f64 = gradient w (replicate c 1)

entry check (r: i64) (c: i64): (f64, f64, f64) =
  let w = fill_2d (uniform 77) r c
  in check_of (contract (costs w)) (flatten (gradient w (tabulate c (\j -> 1 / f64.i64 (1 + j)))))
-- ==
-- entry: check
-- input { 8i64 10i64 } output { 5.98375762117471 23.4317460317 0.211571464831 }
