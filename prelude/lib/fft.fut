-- | Fourier transforms of any length: of powers of two by halving, of other lengths by a convolution of such (Bluestein's way). The
-- work is n log n in both cases. A transform is linear, so its adjoint is another transform: that is its rule for derivatives.

-- | For the number type of a module such as `f32`; what this file has outside of it is for `f64`.
module fourier (R: real) = {
  type t = R.t

  -- | The real and the imaginary part.
  type complex = (t, t)

  local def zero: complex = (R.i64 0, R.i64 0)
  local def add ((a, b): complex) ((c, d): complex): complex = R.((a + c, b + d))
  local def subtract ((a, b): complex) ((c, d): complex): complex = R.((a - c, b - d))
  local def multiply ((a, b): complex) ((c, d): complex): complex = R.((a * c - b * d, a * d + b * c))
  local def scale (s: t) ((a, b): complex): complex = R.((s * a, s * b))

  -- The complex number of length 1 at k n-ths of the circle.
  local def on_circle (k: i64) (n: i64): complex =
    let angle = R.from_fraction (2 * (k % n)) n
    in R.((cospi angle, sinpi angle))

  local def is_power (n: i64): bool = n & (n - 1) == 0
  local def power_from (n: i64): i64 = 1 << i64.i32 (64 - i64.clz (n - 1))

  -- Each row gets the sums over j of xs[j] on_circle (sign j k) n, for n a power of two; `half` is one half of n. Transforms of every
  -- second element make one twice as long. What depends on n alone is found outside of branches, so that a device can do it once.
  local def by_halves [r] [n] (half: i64) (sign: i64) (xss: [r][n]complex): [r][n]complex =
    let circle = tabulate half (\k -> on_circle (sign * k) n)
    in loop xss for stage < i64.i32 (63 - i64.clz n) do
         let width = 1 << stage
         let element (xs: [n]complex) p =
           let k = p % width
           let j = p / (2 * width) * width + k
           let odd = multiply circle[k * (n / (2 * width))] xs[j + half]
           in if p / width % 2 == 0 then add xs[j] odd else subtract xs[j] odd
         in map (\xs -> tabulate n (element xs)) xss

  -- The same for any n, with 2 half a power of two: 2 j k is j j + k k - (k - j) (k - j), which makes a convolution of the sum.
  local def by_convolution [r] [n] (half: i64) (sign: i64) (xss: [r][n]complex): [r][n]complex =
    let m = 2 * half
    let chirps = tabulate n (\k -> on_circle (sign * (k * k % (2 * n))) (2 * n))
    let conjugate (a, b) = (a, R.neg b)
    let around k = if k < n then conjugate chirps[k] else if k > m - n then conjugate chirps[m - k] else zero
    let bs = (by_halves half 1 [tabulate m around])[0]
    let ass = by_halves half 1 (map (\xs -> tabulate m (\k -> if k < n then multiply xs[k] chirps[k] else zero)) xss)
    let css = by_halves half (-1) (map (map2 multiply bs) ass)
    in map (\cs -> tabulate n (\k -> scale (R.recip (R.i64 m)) (multiply cs[k] chirps[k]))) css

  local def direct [r] [n] (sign: i64) (xss: [r][n]complex): [r][n]complex =
    let half = n >> 1
    let half_of_more = power_from (2 * n - 1) >> 1
    in if is_power n then by_halves half sign xss else by_convolution half_of_more sign xss

  -- The rule has a rule, so that a second derivative does not look into the transform either.
  local def with_rule [r] [n] (below: i64 -> [r][n]complex -> [r][n]complex) (sign: i64) (xss: [r][n]complex): [r][n]complex =
    with_vjp (below sign) (\_ adj -> below (-sign) adj) xss

  local def transform [r] [n] (sign: i64) (xss: [r][n]complex): [r][n]complex = with_rule (with_rule direct) sign xss

  -- | The transform of each row.
  def fft_rows [r] [n] (xss: [r][n]complex): [r][n]complex = transform (-1) xss

  -- | Its inverse.
  def ifft_rows [r] [n] (xss: [r][n]complex): [r][n]complex = map (map (scale (R.recip (R.i64 n)))) (transform 1 xss)

  -- | Element k is the sum over j of xs[j] exp(-2 pi i j k / n).
  def fft [n] (xs: [n]complex): [n]complex = (fft_rows [xs])[0]

  -- | The inverse: `ifft (fft xs)` is `xs`.
  def ifft [n] (xs: [n]complex): [n]complex = (ifft_rows [xs])[0]

  -- | The transform of real numbers: the first half of it, of which the other half is the mirror image with the signs of the
  -- imaginary parts changed.
  def rfft [n] (xs: [n]t): [n / 2 + 1]complex = take (n / 2 + 1) (fft (map (\x -> (x, R.i64 0)) xs) ++ [zero])

  -- | The n real numbers whose transform begins so.
  def irfft [m] (n: i64) (xs: [m]complex): [n]t =
    let mirrored k = let (a, b) = xs[n - k] in (a, R.neg b)
    in map (.0) (ifft (tabulate n (\k -> if k <= n / 2 then xs[k] else mirrored k)))

  -- | The transform of the rows and then of the columns.
  def fft2 [n] [m] (xss: [n][m]complex): [n][m]complex = transpose (fft_rows (transpose (fft_rows xss)))

  -- | Its inverse.
  def ifft2 [n] [m] (xss: [n][m]complex): [n][m]complex = transpose (ifft_rows (transpose (ifft_rows xss)))

  -- | Element k is the sum of all xs[i] ys[j] of which i + j = k: the product of two polynomials.
  def convolve [n] [m] (xs: [n]t) (ys: [m]t): [n + m - 1]t =
    let k = power_from (n + m - 1)
    let padded [l] (xs: [l]t) = tabulate k (\i -> if i < l then (xs[i], R.i64 0) else zero)
    let transform [r] [k] (sign: i64) (xss: [r][k]complex) = with_rule (with_rule (by_halves (k >> 1))) sign xss
    let transformed = transform (-1) [padded xs, padded ys]
    let products = (transform 1 [map2 multiply transformed[0] transformed[1]])[0]
    in map (\(a, _) -> R.(a / i64 k)) (take (n + m - 1) products)
}

open fourier f64
