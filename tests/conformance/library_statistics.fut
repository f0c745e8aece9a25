-- prelude/lib/statistics: values known by hand, large means, one number and none, equal ranks.
import "/prelude/lib/statistics"

module single = statistics f32

-- ==
-- entry: means
-- input { [1.0, 2.0, 4.0, 8.0] } output { 3.75 2.8284271247461903 2.1333333333333333 5.666666666666667 }
entry means [n] (xs: [n]f64) = (mean xs, geometric_mean xs, harmonic_mean xs, weighted_mean (map f64.i64 (iota n)) xs)

-- ==
-- entry: spreads
-- input { [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] }
-- output { 4.571428571428571 4.0 2.138089935299395 2.0 0.7559289460184544 0.65625 -0.21875 5.25 }
-- input { [3.0] } output { f64.nan 0.0 f64.nan 0.0 f64.nan f64.nan f64.nan 0.0 }
entry spreads (xs: []f64) =
  (variance xs, population_variance xs, deviation xs, population_deviation xs, standard_error xs, skewness xs, excess_kurtosis xs,
   central_moment 3 xs)

-- ==
-- entry: nothing
-- input { empty([0]f64) } output { true true [0i64, 0i64] }
entry nothing (xs: []f64) = (f64.isnan (mean xs), f64.isnan (population_variance xs), histogram 2 0 1 xs)

-- The mean is a thousand million times the deviation.
-- ==
-- entry: far
-- input { [1000000004.0, 1000000007.0, 1000000013.0, 1000000016.0] } output { 30.0 }
entry far (xs: []f64) = variance xs

-- ==
-- entry: far_in_single
-- input { [10000.25f32, 10000.5f32, 10000.75f32] } output { 0.0625f32 }
entry far_in_single (xs: []f32) = single.variance xs

-- ==
-- entry: pairs
-- input { [1.0, 2.0, 3.0, 4.0] [2.0, 4.0, 5.0, 9.0] } output { 3.6666666666666665 0.9647638212377322 -0.5 2.2 0.9307692307692308 }
entry pairs [n] (xs: [n]f64) (ys: [n]f64) =
  let l = linear_regression xs ys
  in (covariance xs ys, correlation xs ys, l.intercept, l.slope, l.explained)

-- ==
-- entry: matrices
-- input { [[1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 5.0, 9.0]] }
-- output { [[1.6666666666666667, 3.6666666666666665], [3.6666666666666665, 8.666666666666666]]
--          [[1.0, 0.9647638212377322], [0.9647638212377322, 1.0]] }
entry matrices (rows: [][]f64) = (covariance_matrix rows, correlation_matrix rows)

-- ==
-- entry: positions
-- input { [9.0, 1.0, 5.0, 3.0] } output { [1.0, 2.5, 4.0, 6.0, 9.0] 4.0 3.5 2.0 }
-- input { [7.0] } output { [7.0, 7.0, 7.0, 7.0, 7.0] 7.0 0.0 0.0 }
entry positions (xs: []f64) = (quantiles [0, 0.25, 0.5, 0.75, 1] xs, median xs, interquartile_range xs, median_deviation xs)

-- ==
-- entry: bins
-- input { [0.0, 0.1, 0.5, 0.99, 1.0, -0.1, 1.1, f64.nan, f64.inf] } output { [2i64, 1i64, 2i64] }
entry bins (xs: []f64) = histogram 3 0 1 xs

-- ==
-- entry: orders
-- input { [3.0, 1.0, 3.0, 2.0] [10.0, 20.0, 15.0, 1.0] } output { [3.5, 1.0, 3.5, 2.0] -0.31622776601683794 }
entry orders [n] (xs: [n]f64) (ys: [n]f64) = (ranks xs, rank_correlation xs ys)

-- 1 + 2 x + 3 x x.
-- ==
-- entry: polynomial
-- input { [0.0, 1.0, 2.0, 3.0, -1.0] [1.0, 6.0, 17.0, 34.0, 2.0] } output { [1.0, 2.0, 3.0] }
entry polynomial [n] (xs: [n]f64) (ys: [n]f64) = polynomial_regression 3 xs ys

-- ==
-- entry: normal
-- input { 0.0 } output { 0.3989422804014327 0.5 }
-- input { 1.96 } output { 0.05844094433345147 0.9750021048517795 }
-- input { -10.0 } output { 7.69459862670642e-23 7.61985302416053e-24 }
entry normal (x: f64) = (normal_density x, normal_chance x)
