-- product.fut - contractions: products of matrices in their four transpositions, minima of sums, batches of small ones, an adjoint.
--
-- The four products are of the same matrices, so they have the same result.

def product [n][m][k] (a: [n][k]f64) (b: [k][m]f64): [n][m]f64 = map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a

-- ==
-- entry: nn
-- input { [[1f64, 2f64], [3f64, 4f64]] [[5f64, 6f64], [7f64, 8f64]] } output { [[19f64, 22f64], [43f64, 50f64]] }
entry nn [n][m][k] (a: [n][k]f64) (b: [k][m]f64): [n][m]f64 = product a b

-- ==
-- entry: nt
-- input { [[1f64, 2f64], [3f64, 4f64]] [[5f64, 7f64], [6f64, 8f64]] } output { [[19f64, 22f64], [43f64, 50f64]] }
entry nt [n][m][k] (a: [n][k]f64) (b: [m][k]f64): [n][m]f64 = product a (transpose b)

-- ==
-- entry: tn
-- input { [[1f64, 3f64], [2f64, 4f64]] [[5f64, 6f64], [7f64, 8f64]] } output { [[19f64, 22f64], [43f64, 50f64]] }
entry tn [n][m][k] (a: [k][n]f64) (b: [k][m]f64): [n][m]f64 = product (transpose a) b

-- ==
-- entry: tt
-- input { [[1f64, 3f64], [2f64, 4f64]] [[5f64, 7f64], [6f64, 8f64]] } output { [[19f64, 22f64], [43f64, 50f64]] }
entry tt [n][m][k] (a: [k][n]f64) (b: [m][k]f64): [n][m]f64 = product (transpose a) (transpose b)

-- ==
-- entry: single
-- input { [[1f32, 2f32], [3f32, 4f32]] [[5f32, 6f32], [7f32, 8f32]] } output { [[19f32, 22f32], [43f32, 50f32]] }
entry single [n][m][k] (a: [n][k]f32) (b: [k][m]f32): [n][m]f32 = map (\r -> map (\c -> f32.sum (map2 (*) r c)) (transpose b)) a

-- Shortest ways of two steps.
-- ==
-- entry: min_plus
-- input { [[1f64, 2f64], [3f64, 4f64]] [[5f64, 6f64], [7f64, 8f64]] } output { [[6f64, 7f64], [8f64, 9f64]] }
entry min_plus [n][m][k] (a: [n][k]f64) (b: [k][m]f64): [n][m]f64 = map (\r -> map (\c -> f64.minimum (map2 (+) r c)) (transpose b)) a

-- ==
-- entry: batched
-- input { [[[1f64, 2f64], [3f64, 4f64]]] [[[5f64, 6f64], [7f64, 8f64]]] } output { [[[19f64, 22f64], [43f64, 50f64]]] }
entry batched [q][n][m][k] (a: [q][n][k]f64) (b: [q][k][m]f64): [q][n][m]f64 = map2 product a b

-- The adjoints of both factors, which are two products.
-- ==
-- entry: adjoint
-- input { [[1f64, 2f64], [3f64, 4f64]] [[5f64, 6f64], [7f64, 8f64]] [[1f64, 0f64], [0f64, 1f64]] }
-- output { [[5f64, 7f64], [6f64, 8f64]] [[1f64, 3f64], [2f64, 4f64]] }
entry adjoint [n][m][k] (a: [n][k]f64) (b: [k][m]f64) (c: [n][m]f64): ([n][k]f64, [k][m]f64) = vjp (\(a, b) -> product a b) (a, b) c
