-- | A mixture of Gaussians: the part of its cost that some of the points have.

-- | The parameters of k Gaussians in d dimensions: the weights before they are normalised, the means, the logarithms of the inverse deviations.
type mixture [k] [d] = {weights: [k]f64, means: [k][d]f64, sharpness: [k][d]f64}

def log_sum_exp [n] (xs: [n]f64): f64 =
  let top = f64.maximum xs in top + f64.log (f64.sum (map (\x -> f64.exp (x - top)) xs))

def log_density [d] (mean: [d]f64) (sharpness: [d]f64) (x: [d]f64): f64 =
  f64.sum
    (map3 (\m s x -> let z = f64.exp s * (x - m) in s - 0.5 * (z * z + f64.log (2 * f64.pi))) mean
       sharpness x)

def negative_log_likelihood [n] [k] [d] (points: [n][d]f64) (p: mixture [k] [d]): f64 =
  let log_weights = map (\w -> w - log_sum_exp p.weights) p.weights
  let density x =
    log_sum_exp (map3 (\w m s -> w + log_density m s x) log_weights p.means p.sharpness)
  in -f64.sum (map density points)

-- | The negative log-likelihood of the points.
entry cost [n] [k] [d] (points: [n][d]f64) (p: mixture [k] [d]): f64 =
  negative_log_likelihood points p

-- | The derivative of `cost` by the parameters.
entry cost_vjp [n] [k] [d] (points: [n][d]f64) (p: mixture [k] [d]) (scale: f64):
    {p: mixture [k] [d]} =
  {p = vjp (negative_log_likelihood points) p scale}
