-- A reduction of moments: a mean, a sum of squares and a count, of which each part may be nothing. Its gradient on every target.
def join (m: f64, s: f64, n: f64) (m': f64, s': f64, n': f64): (f64, f64, f64) =
  let d = m' - m
  let k = n + n'
  in if k == 0 then (0, 0, 0) else (m + d * n' / k, s + s' + d * d * n * n' / k, k)

def variance [n] (xs: [n]f64): f64 =
  let (_, s, k) = reduce join (0, 0, 0) (map (\x -> (x, 0, 1)) xs)
  in s / k

-- ==
-- entry: main
-- input { [1f64, 2f64, 4f64] }
-- output { 1.5555555555555556f64 [-0.8888888888888888f64, -0.2222222222222222f64, 1.1111111111111112f64] }
-- input { [3f64] } output { 0f64 [0f64] }
entry main [n] (xs: [n]f64): (f64, [n]f64) = (variance xs, vjp variance xs 1)
