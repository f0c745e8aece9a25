-- The adjoint of a matrix product.
-- run: main < [[1.0,2.0],[3.0,4.0],[5.0,6.0]] [[1.0,2.0,3.0],[4.0,5.0,6.0]]
def product [n][m][k] (a: [n][m]f64) (b: [m][k]f64): [n][k]f64 =
  map (\r -> map (\c -> reduce (+) 0 (map2 (*) r c)) (transpose b)) a
entry main [n][m][k] (a: [n][m]f64) (b: [m][k]f64) =
  vjp (\(x, y) -> product x y) (a, b) (replicate n (replicate k 1))
