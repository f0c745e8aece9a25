-- | Straight lines through measurements.

-- | A line: y = slope x + offset.
type line = {slope: f64, offset: f64}

-- | How good a line is.
type verdict = #good f64 | #bad

def error [n] (xs: [n]f64) (ys: [n]f64) (l: line): f64 =
  f64.sum (map2 (\x y -> (l.slope * x + l.offset - y) ** 2) xs ys) / f64.i64 n

-- | The mean of the squares of what the line misses.
entry loss [n] (xs: [n]f64) (ys: [n]f64) (l: line): f64 =
  assert (n > 0) (error xs ys l)

-- | The derivative of `loss` by the line.
entry loss_vjp [n] (xs: [n]f64) (ys: [n]f64) (l: line) (d: f64): {l: line} =
  {l = vjp (error xs ys) l d}

entry values [n] (xs: [n]f64) (l: line): [n]f64 =
  map (\x -> l.slope * x + l.offset) xs

entry judge [n] (xs: [n]f64) (ys: [n]f64) (l: line): verdict =
  let e = error xs ys l in if e < 0.1 then #good e else #bad
