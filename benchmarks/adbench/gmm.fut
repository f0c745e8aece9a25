-- gmm.fut - the Gaussian mixture model of ADBench: objective and gradient.
--
-- Parameters: alpha [K], mu [K][d], q [K][d] (logarithm of the diagonal), l [K][d(d-1)/2] (strictly lower part, column by
-- column); data x [n][d]; Wishart prior gamma, m. Sign: GradBench's log posterior; ADBench reverses the prior.
-- `generated_*` make their own input of the given sizes from the shared counter-based generator.

import "../input"

def sum = f64.sum
def square (x: f64) = x * x
def norm2 [n] (v: [n]f64): f64 = sum (map square v)

def logsumexp [n] (v: [n]f64): f64 =
  let top = f64.maximum v
  in top + f64.log (sum (map (\x -> f64.exp (x - top)) v))

-- Q times v: the diagonal exp(q), then, column by column, what is below it; column c of l starts at c d - c(c+1)/2.
def q_times [d] [t] (q_exp: [d]f64) (l: [t]f64) (v: [d]f64): [d]f64 =
  loop y = map2 (*) q_exp v for c < d do
    let start = c * d - c * (c + 1) / 2
    let below = d - 1 - c
    in y
       with [c + 1:d] =
         map2 (\a b -> a + v[c] * b) (y[c + 1:d] :> [below]f64)
           (l[start:start + below] :> [below]f64)

def log_gamma_distribution (a: f64) (p: i64): f64 =
  0.25 * f64.i64 (p * (p - 1)) * f64.log f64.pi
  + sum (map (\j -> f64.lgamma (a + 0.5 * f64.i64 (1 - (j + 1)))) (iota p))

def objective [k] [d] [t] [n] (sign: f64) (x: [n][d]f64) (gamma: f64) (m: i64)
              (alpha: [k]f64) (mu: [k][d]f64) (q: [k][d]f64) (l: [k][t]f64): f64 =
  let q_exp = map (map f64.exp) q
  let q_sum = map sum q
  let points =
    sum (map (\xi ->
                logsumexp (map5 (\a m' qe qs lk ->
                                   let centred = map2 (-) xi m'
                                   in a + qs - 0.5 * norm2 (q_times qe lk centred))
                             alpha mu q_exp q_sum l)) x)
  let likelihood =
    points - f64.i64 n * logsumexp alpha - 0.5 * f64.i64 (n * d) * f64.log (2 * f64.pi)
  let nu = d + m + 1
  let constant =
    f64.i64 (nu * d) * (f64.log gamma - 0.5 * f64.log 2)
    - log_gamma_distribution (0.5 * f64.i64 nu) d
  let prior =
    0.5 * square gamma * sum (map2 (\qe lk -> norm2 qe + norm2 lk) q_exp l) - f64.i64 m * sum q_sum
  in likelihood + sign * (f64.i64 k * constant - prior)

def gradient [k] [d] [t] [n] (sign: f64) (x: [n][d]f64) (gamma: f64) (m: i64)
             (alpha: [k]f64) (mu: [k][d]f64) (q: [k][d]f64) (l: [k][t]f64) =
  vjp (\(a, u, v, w) -> objective sign x gamma m a u v w) (alpha, mu, q, l) 1

-- The synthetic input: alpha, mu, q, l, x from seeds 1 to 5.
def parameters (d: i64) (k: i64) =
  let t = d * (d - 1) / 2
  in (fill (normal 1) k, fill_2d (uniform 2) k d, fill_2d (normal 3) k d, fill_2d (normal 4) k t)

def points (d: i64) (n: i64) = fill_2d (normal 5) n d

-- The arguments of the two entry points below.
entry inputs (d: i64) (k: i64) (n: i64) =
  let (alpha, mu, q, l) = parameters d k
  in (alpha, mu, q, l, points d n, 1f64, 0i64)

entry calculate_objective [k] [d] [t] [n] (alpha: [k]f64) (mu: [k][d]f64) (q: [k][d]f64)
                          (l: [k][t]f64)
                          (x: [n][d]f64) (gamma: f64) (m: i64): f64 =
  objective 1 x gamma m alpha mu q l

entry calculate_jacobian [k] [d] [t] [n] (alpha: [k]f64) (mu: [k][d]f64) (q: [k][d]f64)
                         (l: [k][t]f64)
                         (x: [n][d]f64) (gamma: f64) (m: i64) =
  gradient 1 x gamma m alpha mu q l

-- Objective, sum of the gradient, sum of gradient i times cos i over the parameters in order.
entry check (d: i64) (k: i64) (n: i64) (gamma: f64) (m: i64) (sign: f64): (f64, f64, f64) =
  let (alpha, mu, q, l) = parameters d k
  let x = points d n
  let (ga, gm, gq, gl) = gradient sign x gamma m alpha mu q l
  let g = ga ++ flatten gm ++ flatten gq ++ flatten gl
  in check_of (objective sign x gamma m alpha mu q l) g
-- ==
-- entry: check
-- input { 3i64 2i64 5i64 1.0 0i64 1.0 } output { -93.752349236041 -14.156448074455 38.612872405357 }
-- input { 3i64 2i64 5i64 1.0 0i64 -1.0 } output { -38.4607386937 18.48557945518 31.093239448788 }
-- input { 3i64 2i64 5i64 1.5 2i64 1.0 } output { -102.55868100210918 -22.557715280476 43.032692230015 }
-- input { 3i64 2i64 5i64 1.5 2i64 -1.0 } output { -29.654406927632 26.886846661201 26.67341962413 }
-- input { 10i64 25i64 100i64 1.0 0i64 1.0 } output { -6340.740200327249 -3462.8563016829385 1003.9691194106363 }
-- input { 10i64 25i64 100i64 1.0 0i64 -1.0 } output { 546.4124362326093 119.41756885973739 72.254915954094 }
