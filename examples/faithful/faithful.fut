-- faithful.fut - a mixture of two Gaussians fitted to the Old Faithful geyser by maximum likelihood.
--
-- Each eruption is a point (duration, waiting time). The model has 11 free parameters, all unconstrained:
--   theta[0]        logit of the first component's weight
--   theta[1..4]     the two means
--   theta[5..10]    for each component the lower triangular Q with precision matrix Q^T Q: log Q00, log Q11, Q10
-- `vjp` gives the gradient of the log-likelihood, L-BFGS climbs it. The data are standardised first, so that one step
-- length suits all parameters.

type point = (f64, f64)

def p: i64 = 11
def dot [n] (a: [n]f64) (b: [n]f64): f64 = f64.sum (map2 (*) a b)
def axpy [n] (k: f64) (a: [n]f64) (b: [n]f64): [n]f64 = map2 (\x y -> k * x + y) a b

def log_density (mx: f64) (my: f64) (q0: f64) (q1: f64) (q10: f64) ((x, y): point): f64 =
  let u = x - mx
  let v = y - my
  let z0 = f64.exp q0 * u
  let z1 = q10 * u + f64.exp q1 * v
  in q0 + q1 - f64.log (2 * f64.pi) - 0.5 * (z0 * z0 + z1 * z1)

-- The logarithms of the two weighted densities at a point.
def log_parts (theta: [p]f64) (at: point): (f64, f64) =
  let log_w1 = - f64.log1p (f64.exp (- theta[0]))
  let log_w2 = - f64.log1p (f64.exp theta[0])
  in (log_w1 + log_density theta[1] theta[2] theta[5] theta[6] theta[7] at,
      log_w2 + log_density theta[3] theta[4] theta[8] theta[9] theta[10] at)

def log_likelihood [n] (data: [n]point) (theta: [p]f64): f64 =
  f64.sum (map (\at ->
    let (a, b) = log_parts theta at
    let top = f64.max a b
    in top + f64.log (f64.exp (a - top) + f64.exp (b - top))) data)

-- What is minimised: the negative log-likelihood for each point.
def cost [n] (data: [n]point) (theta: [p]f64): f64 = - log_likelihood data theta / f64.i64 n
def gradient [n] (data: [n]point) (theta: [p]f64): [p]f64 = vjp (cost data) theta 1

-- The L-BFGS direction from the last steps s and changes of the gradient y, newest last; `used` of them are valid.
def direction [m] (used: i64) (s: [m][p]f64) (y: [m][p]f64) (g: [p]f64): [p]f64 =
  let (d, alpha) =
    loop (d, alpha) = (map (\x -> -x) g, replicate m 0) for k < used do
      let i = m - 1 - k
      let a = dot s[i] d / dot s[i] y[i]
      in (axpy (-a) y[i] d, alpha with [i] = a)
  let scale = if used == 0 then 1 else dot s[m - 1] y[m - 1] / dot y[m - 1] y[m - 1]
  in loop d = map (* scale) d for k < used do
       let i = m - used + k
       let b = dot y[i] d / dot s[i] y[i]
       in axpy (alpha[i] - b) s[i] d

-- Climbs until the gradient is flat. Returns the parameters and the number of steps.
def fit_parameters [n] (data: [n]point) (start: [p]f64): ([p]f64, i64) =
  let m = 8
  let none = replicate m (replicate p 0)
  let (theta, _, _, _, _, _, steps, _) =
    loop (theta, f, g, s: [m][p]f64, y: [m][p]f64, used, steps, moving) =
         (start, cost data start, gradient data start, none, none, 0, 0, true)
    while moving && steps < 200 do
      let d = direction used s y g
      let slope = dot g d
      -- halve the step until the cost falls enough
      let (step, new_f) =
        loop (step, new_f) = (1, cost data (axpy 1 d theta))
        while step > 1e-10 && !(new_f <= f + 1e-4 * step * slope) do
          (step / 2, cost data (axpy (step / 2) d theta))
      let new_theta = axpy step d theta
      let new_g = gradient data new_theta
      let ds = map2 (-) new_theta theta
      let dy = map2 (-) new_g g
      let keep = dot ds dy > 1e-14
      let s' = if keep then tail s ++ [ds] :> [m][p]f64 else s
      let y' = if keep then tail y ++ [dy] :> [m][p]f64 else y
      let used' = if keep then i64.min m (used + 1) else used
      let flat = f64.maximum (map f64.abs new_g) < 1e-7
      in (new_theta, new_f, new_g, s', y', used', steps + 1, !flat && step > 1e-10)
  in (theta, steps)

-- The largest difference between the gradient and central finite differences at theta.
def gradient_error [n] (data: [n]point) (theta: [p]f64): f64 =
  let h = 1e-5
  let along i = (cost data (map2 (\x j -> if i == j then x + h else x) theta (iota p)) -
                 cost data (map2 (\x j -> if i == j then x - h else x) theta (iota p))) / (2 * h)
  in f64.maximum (map2 (\g i -> f64.abs (g - along i)) (gradient data theta) (iota p))

-- Covariance (xx, xy, yy) of a component with the given Q.
def covariance (q0: f64) (q1: f64) (q10: f64): [3]f64 =
  let a = f64.exp (- q0)
  let b = f64.exp (- q1)
  let c = - q10 * a * b
  in [a * a, a * c, c * c + b * b]

-- Log-likelihood, weights, means, covariances (xx, xy, yy), steps, gradient error, and for each point the probability
-- that it belongs to the first component.
entry fit [n] (rows: [n][2]f64): (f64, [2]f64, [2][2]f64, [2][3]f64, i64, f64, [n]f64) =
  let xs = map (\r -> r[0]) rows
  let ys = map (\r -> r[1]) rows
  let mean v = f64.sum v / f64.i64 n
  let deviation v = let m = mean v in f64.sqrt (mean (map (\x -> (x - m) * (x - m)) v))
  let (mx, my, sx, sy) = (mean xs, mean ys, deviation xs, deviation ys)
  let data = map2 (\x y -> ((x - mx) / sx, (y - my) / sy)) xs ys
  let start = [0, -1, -1, 1, 1, 0.5, 0.5, 0, 0.5, 0.5, 0] :> [p]f64
  let (theta, steps) = fit_parameters data start
  let error = f64.max (gradient_error data start) (gradient_error data theta)
  let w = 1 / (1 + f64.exp (- theta[0]))
  let back i = [theta[1 + 2 * i] * sx + mx, theta[2 + 2 * i] * sy + my]
  let spread i = let c = covariance theta[5 + 3 * i] theta[6 + 3 * i] theta[7 + 3 * i]
                 in [c[0] * sx * sx, c[1] * sx * sy, c[2] * sy * sy]
  let likelihood = log_likelihood data theta - f64.i64 n * f64.log (sx * sy)
  let first = map (\at -> let (a, b) = log_parts theta at in 1 / (1 + f64.exp (b - a))) data
  in (likelihood, [w, 1 - w], [back 0, back 1], [spread 0, spread 1], steps, error, first)
