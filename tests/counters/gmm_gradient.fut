-- The gradient of the mixture model: its adjoints are reductions. Only the triangular factors, whose index arithmetic is
-- not seen through, are updated atomically: once for each cell (k d d, the points of the upper triangle included).
-- run: check < 4i64 3i64 20i64 1f64 0i64 1f64
import "../../benchmarks/adbench/gmm"
entry check = check
