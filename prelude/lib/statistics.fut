-- | Statistics of numbers in arrays. Sums of squares are those of the distances to the mean, so that a large mean costs no digits. All
-- results but those of counting have derivatives.

local module sorting = import "sort"
local module algebra = import "linear"

-- | For the number type of a module such as `f32`; what this file has outside of it is for `f64`.
module statistics (R: real) = {
  type t = R.t
  local module linear = algebra.linear R
  local def zero: t = R.i64 0
  local def one: t = R.i64 1
  local def two: t = R.i64 2
  local def dot [n] (a: [n]t) (b: [n]t): t = linear.dot a b

  -- | The sum divided by the count; NaN of nothing.
  def mean [n] (xs: [n]t): t = R.(sum xs / i64 n)

  -- | The mean with a weight for each number.
  def weighted_mean [n] (weights: [n]t) (xs: [n]t): t = R.(dot weights xs / sum weights)

  def geometric_mean [n] (xs: [n]t): t = R.exp (mean (map R.log xs))
  def harmonic_mean [n] (xs: [n]t): t = R.(recip (mean (map recip xs)))

  -- | The distances to the mean.
  def centred [n] (xs: [n]t): [n]t = let m = mean xs in map (R.- m) xs

  -- The sum of the products of the distances. What rounding has left in the sums of the distances themselves is taken off.
  local def products [n] (xs: [n]t) (ys: [n]t): t =
    let (dx, dy) = (centred xs, centred ys)
    in R.(dot dx dy - sum dx * sum dy / i64 n)

  -- | The variance of a sample, for which the sum of squares is divided by one less than the count; NaN of one number.
  def variance [n] (xs: [n]t): t = R.(products xs xs / (i64 n - one))

  -- | The variance of numbers that are all there are: the sum of squares is divided by the count.
  def population_variance [n] (xs: [n]t): t = R.(products xs xs / i64 n)

  -- | The square root of the variance of a sample.
  def deviation [n] (xs: [n]t): t = R.sqrt (variance xs)

  -- | The square root of the variance of all there are.
  def population_deviation [n] (xs: [n]t): t = R.sqrt (population_variance xs)

  -- | How far the mean of samples of this size is from the mean of all.
  def standard_error [n] (xs: [n]t): t = R.(deviation xs / sqrt (i64 n))

  -- | The distances to the mean, in deviations of all.
  def standardised [n] (xs: [n]t): [n]t =
    let d = population_deviation xs
    in map (R./ d) (centred xs)

  -- | The mean of the k-th powers of the distances to the mean.
  def central_moment [n] (k: i64) (xs: [n]t): t = mean (map (\d -> loop p = one for _i < k do R.(p * d)) (centred xs))

  -- | How much longer the right tail is than the left one.
  def skewness [n] (xs: [n]t): t = mean (map (\z -> R.(z * z * z)) (standardised xs))

  -- | How heavy the tails are: 0 for the normal distribution.
  def excess_kurtosis [n] (xs: [n]t): t = R.(mean (map (\z -> z * z * z * z) (standardised xs)) - i64 3)

  -- | The covariance of a sample of pairs.
  def covariance [n] (xs: [n]t) (ys: [n]t): t = R.(products xs ys / (i64 n - one))

  -- | The correlation of pairs, from -1 to 1.
  def correlation [n] (xs: [n]t) (ys: [n]t): t = R.(products xs ys / sqrt (products xs xs * products ys ys))

  -- | The covariances of all pairs of rows; on the diagonal are the variances.
  def covariance_matrix [m] [n] (rows: [m][n]t): [m][m]t =
    let d = map centred rows
    in map (map (R./ (R.i64 (n - 1)))) (linear.matmul d (transpose d))

  -- | The correlations of all pairs of rows.
  def correlation_matrix [m] [n] (rows: [m][n]t): [m][m]t =
    let z = map standardised rows
    in map (map (R./ (R.i64 n))) (linear.matmul z (transpose z))

  -- | The numbers below which these fractions of the sample are, from 0 for the least to 1 for the greatest; between two numbers of the
  -- sample as far as the fraction says. The sample is not empty.
  def quantiles [n] [k] (fractions: [k]t) (xs: [n]t): [k]t =
    let sorted = sorting.sort_by (R.<=) xs
    let quantile p =
      let at = R.(p * (i64 n - one))
      let i = i64.max 0 (i64.min (n - 2) (R.to_i64 at))
      let j = i64.min (n - 1) (i + 1)
      in R.(sorted[i] + (at - i64 i) * (sorted[j] - sorted[i]))
    in map quantile fractions

  -- | One of them.
  def quantile [n] (fraction: t) (xs: [n]t): t = (quantiles [fraction] xs)[0]

  -- | The number in the middle, or the mean of the two there.
  def median [n] (xs: [n]t): t = quantile R.(one / two) xs

  -- | The distance of the quarters: of the numbers below which three quarters and one are.
  def interquartile_range [n] (xs: [n]t): t =
    let q = quantiles R.([one / i64 4, i64 3 / i64 4]) xs
    in R.(q[1] - q[0])

  -- | The median distance to the median.
  def median_deviation [n] (xs: [n]t): t =
    let m = median xs
    in median (map (\x -> R.(abs (x - m))) xs)

  -- | How many numbers are in each of k bins that divide the range from `least` to `greatest` evenly. `greatest` itself is in the last
  -- bin; what is outside is not counted.
  def histogram [n] (k: i64) (least: t) (greatest: t) (xs: [n]t): [k]i64 =
    let bin x =
      if R.(x >= least && x <= greatest) then i64.min (k - 1) (R.to_i64 R.((x - least) / (greatest - least) * i64 k)) else -1
    in hist (+) 0 k (map bin xs) (rep 1)

  -- | The rank of each number, 1 for the least; equal ones share the mean of their ranks.
  def ranks [n] (xs: [n]t): [n]t =
    let sorted = sorting.sort_by (R.<=) xs
    in map (\x -> R.((i64 (sorting.rank (< x) sorted) + i64 (sorting.rank (<= x) sorted) + one) / two)) xs

  -- | The correlation of the ranks (Spearman's).
  def rank_correlation [n] (xs: [n]t) (ys: [n]t): t = correlation (ranks xs) (ranks ys)

  -- | The line that is closest to pairs by the squares of the distances, and the part of the variance that it explains.
  type line = {intercept: t, slope: t, explained: t}

  def linear_regression [n] (xs: [n]t) (ys: [n]t): line =
    let (xx, xy, yy) = (products xs xs, products xs ys, products ys ys)
    let slope = R.(xy / xx)
    in {intercept = R.(mean ys - slope * mean xs), slope, explained = R.(xy * xy / (xx * yy))}

  -- | The factors of the columns of a matrix whose sum is closest to `ys` by the squares of the distances. The columns are not
  -- combinations of each other, and not many more digits apart than half of those of the type.
  def least_squares [n] [m] (a: [n][m]t) (ys: [n]t): [m]t =
    let columns = transpose a
    in linear.solve (linear.matmul columns a) (linear.matvec columns ys)

  -- | The polynomial of m terms, the constant first, that is closest to pairs.
  def polynomial_regression [n] (m: i64) (xs: [n]t) (ys: [n]t): [m]t =
    least_squares (map (\x -> scan (R.*) one (tabulate m (\i -> if i == 0 then one else x))) xs) ys

  -- | The standard normal distribution: its density, and the chance of a number up to x.
  def normal_density (x: t): t = R.(exp (neg (x * x) / two) / sqrt (two * pi))
  def normal_chance (x: t): t = R.(erfc (neg x / sqrt two) / two)
}

open statistics f64
