-- Seeds that are zero but at one place.
def unit (n: i64) (i: i64): [n]f64 = tabulate n (\j -> if i == j then 1 else 0)

-- The diagonal of the Jacobian of a map.
entry diagonal [n] (x: [n]f64): [n]f64 =
  tabulate n (\i -> (vjp (map (\v -> f64.sin v * v)) x (unit n i))[i])

-- One column of a matrix, as a derivative.
entry column [n][m] (a: [n][m]f64) (x: [m]f64) (j: i64): [n]f64 =
  jvp (\v -> map (\row -> f64.sum (map2 (*) row v)) a) x (unit m j)

-- The Jacobian of a product with a sparse matrix whose rows have k entries each: an entry is added where it belongs.
entry entries [n][k] (columns: [n][k]i64) (values: [n][k]f64) (x: [n]f64): [n][n]f64 =
  let product (v: [n]f64) = map2 (\cs row -> f64.sum (map2 (\c a -> a * v[c]) cs row)) columns values
  in map (\j -> jvp product x (unit n j)) (iota n)
