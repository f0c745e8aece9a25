-- prelude/lib/{sort, segmented, fft, statistics, random}: derivatives with finite differences and in all nestings.
import "/prelude/lib/sort"
import "/prelude/lib/segmented"
import "/prelude/lib/fft"
import "/prelude/lib/statistics"
import "/prelude/lib/random"

def weighed [n] (x: [n]f64) = map2 (\v i -> v * v * f64.i64 (i + 1)) x (iota n)

-- ad: by_digits { [1.0, 3.5, 2.0, -3.0, 0.5, 7.0, 1.5] }
def by_digits [n] (x: [n]f64) = weighed (radix_f64.sort x)

-- ad: by_merging { [1.0, 3.5, 2.0, -3.0, 0.5, 7.0, 1.5] }
def by_merging [n] (x: [n]f64) = weighed (sort_by (>=) x)

-- Values by the order of others.
-- ad: by_keys { [1.0, 3.5, 2.0, -3.0] [5.0, 6.0, 7.0, 8.0] }
def by_keys [n] (keys: [n]f64, x: [n]f64) = weighed (map (.1) (radix_f64.sort_by_key (.0) (zip keys x)))

-- ad: merged { [1.0, 3.5, 4.0] [2.0, 8.0] }
def merged [n] [m] (x: [n]f64, y: [m]f64) = weighed (merge (<=) x y)

-- ad: scanned { [1.0, 2.0, -3.0, 0.5, 4.0] }
def scanned [n] (x: [n]f64) = segmented_scan (*) 1 (map (\i -> i == 2) (iota n)) x

-- ad: reduced { [1.0, 2.0, -3.0, 0.5, 4.0] }
def reduced (x: [5]f64) = (segmented_reduce (*) 1 [2, 0, 3] x, segmented_hist (+) 0 2 [2, 0, 3] [0, 1, 1, 0, 1] (map (** 2) x))

-- ad: expanded { [1.0, 2.0, -3.0] }
def expanded (x: [3]f64) = expand_reduce (\(_, k) -> k) (\(v, _) j -> f64.sin (v * f64.i64 j)) (+) 0 (zip x [3, 0, 2])

def complex_of [n] (x: [n]f64) (y: [n]f64): [n]complex = zip x y

-- ad: of_any_length { [1.0, 2.0, -3.0] [0.1, 0.0, 2.0] }
def of_any_length [n] (x: [n]f64, y: [n]f64) = map (\(a, b) -> (a * b, a + b)) (ifft (complex_of x y)) |> unzip

-- ad: of_real_numbers { [1.0, 2.0, -3.0, 0.5, 1.5] }
def of_real_numbers [n] (x: [n]f64) = map (\(a, b) -> a * a + b * b) (rfft x)

-- ad: back_to_real_numbers { [1.0, 2.0, -3.0] [0.5, 1.5, 2.0] }
def back_to_real_numbers [n] (x: [n]f64, y: [n]f64) = (map (** 2) (irfft 5 (complex_of x y)), map (** 2) (irfft 4 (complex_of x y)))

-- ad: convolved { [1.0, 2.0, -3.0] [0.5, 1.5] }
def convolved [n] [m] (x: [n]f64, y: [m]f64) = convolve x y

-- One length is a power of two and one is not.
-- ad: in_the_plane { [[1.0, 2.0, -3.0], [0.5, 1.5, 0.1]] }
def in_the_plane (x: [2][3]f64) = map (map (\(a, b) -> a * a + b * b)) (fft2 (map (map (\v -> (v, v * v))) x))

-- ad: described { [1.0, 2.5, -3.0, 0.5, 1.5] }
def described (x: []f64) =
  (mean x, variance x, deviation x, geometric_mean (map f64.exp x), harmonic_mean (map (+ 5) x), skewness x, excess_kurtosis x,
   central_moment 3 x)

-- ad: placed { [1.0, 2.5, -3.0, 0.5, 1.5, 9.0] }
def placed (x: []f64) = (median x ** 2, quantiles [0.1, 0.55, 1] (map (** 3) x), median_deviation x)

-- ad: related { [1.0, 2.5, -3.0, 0.5] [0.1, 3.0, -2.0, 1.0] }
def related [n] (x: [n]f64, y: [n]f64) =
  let l = linear_regression x y
  in (covariance x y, correlation x y, l.intercept, l.slope, l.explained, correlation_matrix [x, y])

-- ad: fitted { [1.0, 2.5, -3.0, 0.5] [0.1, 3.0, -2.0, 1.0] }
def fitted [n] (x: [n]f64, y: [n]f64) = polynomial_regression 3 x y

-- A number drawn moves with the parameters of its distribution.
-- ad: drawn { 1.0 2.0 }
def drawn (mean: f64, width: f64) =
  let (s, a) = many 3 (random_f64.normal mean width) (from_seed 1)
  let (s, b) = random_f64.uniform mean (mean + width) s
  let (s, c) = random_f64.exponential width s
  let (_, d) = random_f64.lognormal mean width s
  in (a, b, c, d)
