-- kepler.fut - x - e sin x = m by Newton's method for n pairs (e, m), each until it stands still; gradient of the sum of all x.

import "../input"

def kepler (e: f64) (m: f64): f64 =
  let (x, _) = loop (x, d) = (m, 1) while f64.abs d > 1e-12 do
    let d = (x - e * f64.sin x - m) / (1 - e * f64.cos x)
    in (x - d, d)
  in x

def total [n] (es: [n]f64, ms: [n]f64): f64 = f64.sum (map2 kepler es ms)

def instance (n: i64) = (map (0.9 *) (fill (uniform 252) n), map (6 *) (fill (uniform 253) n))

entry inputs (n: i64): ([n]f64, [n]f64) = instance n
entry calculate_objective [n] (es: [n]f64) (ms: [n]f64): f64 = total (es, ms)
entry calculate_jacobian [n] (es: [n]f64) (ms: [n]f64): ([n]f64, [n]f64) = vjp total (es, ms) 1

entry check (n: i64): (f64, f64, f64) =
  let (es, ms) = instance n
  let (de, dm) = vjp total (es, ms) 1
  in check_of (total (es, ms)) (de ++ dm)
-- ==
-- entry: check
-- input { 40i64 } output { 112.765374668697 48.3390051546231 -7.57765196437077 }
