-- The Gaussian mixture model as a library: its value and its gradient, with the parameters as a record.
import "../../../benchmarks/adbench/gmm"

-- | Weights, means, diagonals and lower triangles of the inverse factors.
type parameters [k] [d] [t] = {alpha: [k]f64, mu: [k][d]f64, q: [k][d]f64, l: [k][t]f64}

entry value [k] [d] [t] [n] (x: [n][d]f64) (p: parameters [k] [d] [t]): f64 =
  objective 1 x 1 0 p.alpha p.mu p.q p.l

entry value_gradient [k] [d] [t] [n] (x: [n][d]f64) (p: parameters [k] [d] [t]):
    parameters [k] [d] [t] =
  let (alpha, mu, q, l) = gradient 1 x 1 0 p.alpha p.mu p.q p.l
  in {alpha, mu, q, l}
