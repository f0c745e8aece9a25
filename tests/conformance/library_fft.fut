-- prelude/lib/fft: every length up to some, against the sum that defines the transform; known transforms; inverses.
import "/prelude/lib/fft"

module single = fourier f32

def by_sum [n] (xs: [n](f64, f64)): [n](f64, f64) =
  let element k =
    let term j (a, b) =
      let angle = -2 * f64.pi * f64.i64 (j * k % n) / f64.i64 n
      in (a * f64.cos angle - b * f64.sin angle, a * f64.sin angle + b * f64.cos angle)
    let (res, ims) = unzip (map2 term (iota n) xs)
    in (f64.sum res, f64.sum ims)
  in tabulate n element

def distance [n] (xs: [n](f64, f64)) (ys: [n](f64, f64)): f64 =
  f64.maximum (map2 (\(a, b) (c, d) -> f64.hypot (a - c) (b - d)) xs ys) |> f64.max 0

def data (n: i64): [n](f64, f64) = tabulate n (\i -> (f64.i64 (i * i % 7) - 2, f64.i64 (i * 5 % 11) / 3))

-- The transform of a length is the sum, and its inverse and those of real numbers fit to it.
-- ==
-- entry: right
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 2i64 } output { true }
-- input { 3i64 } output { true }
-- input { 4i64 } output { true }
-- input { 5i64 } output { true }
-- input { 6i64 } output { true }
-- input { 7i64 } output { true }
-- input { 8i64 } output { true }
-- input { 9i64 } output { true }
-- input { 10i64 } output { true }
-- input { 11i64 } output { true }
-- input { 12i64 } output { true }
-- input { 13i64 } output { true }
-- input { 14i64 } output { true }
-- input { 15i64 } output { true }
-- input { 16i64 } output { true }
-- input { 17i64 } output { true }
-- input { 31i64 } output { true }
-- input { 32i64 } output { true }
-- input { 33i64 } output { true }
-- input { 61i64 } output { true }
-- input { 97i64 } output { true }
-- input { 100i64 } output { true }
-- input { 127i64 } output { true }
-- input { 128i64 } output { true }
-- input { 130i64 } output { true }
entry right (n: i64): bool =
  let xs = data n
  let ys = map (.0) xs
  let zs = fft xs
  let half = rfft ys
  let whole = fft (map (\y -> (y, 0)) ys)
  in distance zs (by_sum xs) < 1e-9 && distance xs (ifft zs) < 1e-9 &&
     distance (zip (irfft n half) ys) (zip ys ys) < 1e-9 && distance half (take (n / 2 + 1) (whole ++ [(0, 0)])) < 1e-9

-- Small numbers as 0.
def tidy (x: f64): f64 = if f64.abs x < 1e-14 then 0 else x

-- ==
-- entry: known
-- input { [1.0, 0.0, 0.0, 0.0, 0.0] } output { [1.0, 1.0, 1.0, 1.0, 1.0] [0.0, 0.0, 0.0, 0.0, 0.0] }
-- input { [1.0, 2.0, 3.0, 4.0] } output { [10.0, -2.0, -2.0, -2.0] [0.0, 2.0, 0.0, -2.0] }
-- input { [1.0, 1.0, 1.0] } output { [3.0, 0.0, 0.0] [0.0, 0.0, 0.0] }
entry known (xs: []f64) = unzip (map (\(a, b) -> (tidy a, tidy b)) (fft (map (\x -> (x, 0)) xs)))

-- ==
-- entry: product
-- input { [1.0, 2.0, 3.0] [4.0, 5.0] } output { [4.0, 13.0, 22.0, 15.0] }
-- input { [3.0] [4.0] } output { [12.0] }
entry product (xs: []f64) (ys: []f64) = map f64.round (convolve xs ys)

-- ==
-- entry: in_single
-- input { 1000i64 } output { true }
-- input { 1024i64 } output { true }
entry in_single (n: i64) =
  let xs = data n
  let ys = single.fft (map (\(a, b) -> (f32.f64 a, f32.f64 b)) xs)
  in distance (fft xs) (map (\(a, b) -> (f64.f32 a, f64.f32 b)) ys) < 1e-2
-- Rows and columns, and back.
-- ==
-- entry: planes
-- input { [[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]] } output { [[22.0, -3.5, -3.5], [-10.0, 0.5, 0.5]] true }
entry planes (xss: [][]f64) =
  let zss = fft2 (map (map (\x -> (x, 0))) xss)
  let back = map (map (.0)) (ifft2 zss)
  in (map (map (\(a, _) -> f64.round (2 * a) / 2)) zss, and (flatten (map2 (map2 (\a b -> f64.abs (a - b) < 1e-14)) back xss)))

-- A transform of each row.
-- ==
-- entry: rows
-- input { [[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]] } output { [[6.0, -1.5, -1.5], [16.0, -2.0, -2.0]] }
entry rows (xss: [][]f64) = map (\xs -> map (\(a, _) -> f64.round (2 * a) / 2) (fft (map (\x -> (x, 0)) xs))) xss
