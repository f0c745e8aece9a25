-- prelude/lib/fft: transforms of rows and planes.
import "/prelude/lib/fft"

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
