-- narrow.fut - matrices whose rows are a few numbers, as many as the data say: elements, sums of rows, sums of scans of rows.

-- ==
-- entry: clamped
-- input { [[0.0f32, 0.375f32], [1.0f32, 0.5f32]] } output { [[0.25f32, 0.375f32], [0.5f32, 0.5f32]] }
-- notest random input { [100000][4]f32 }
entry clamped [n] [k] (a: [n][k]f32): [n][k]f32 = map (map (\v -> f32.max 0.25 (f32.min 0.5 v))) a

-- ==
-- entry: products
-- input { [[1.0f32, 2.0f32], [3.0f32, 4.0f32]] [[1.0f32, 0.5f32], [2.0f32, 0.25f32]] } output { [[2.0f32, 2.0f32], [7.0f32, 2.0f32]] }
-- notest random input { [100000][4]f32 [100000][4]f32 }
entry products [n] [k] (a: [n][k]f32) (b: [n][k]f32): [n][k]f32 = map2 (map2 (\x y -> x * y + 1)) a b

-- ==
-- entry: grown
-- input { [[2.0f32, 3.0f32], [3.5f32, 4.0f32]] } output { [[4.0f32, 3.0f32], [3.5f32, 4.0f32]] }
-- notest random input { [100000][4]f32 }
entry grown [n] [k] (a: [n][k]f32): [n][k]f32 = map (map (\v -> loop y = v while y < 3 do 1.5 * y + 1)) a

-- ==
-- entry: exponentials_gradient
-- input { [[0.0f32, 0.0f32], [0.0f32, 0.0f32]] } output { [[1.0f32, 1.0f32], [1.0f32, 1.0f32]] }
-- notest random input { [100000][4]f32 }
entry exponentials_gradient [n] [k] (a: [n][k]f32): [n][k]f32 = vjp (\a -> f32.sum (flatten (map (map (\v -> f32.exp v * v)) a))) a 1

-- ==
-- entry: greatest
-- input { [[1.0, 3.0, 2.0], [0.5, 0.25, 0.125]] } output { [3.0, 0.5] }
-- notest random input { [40000][4]f64 }
-- notest random input { [20000][8]f64 }
-- notest random input { [10000][16]f64 }
entry greatest [n] [k] (a: [n][k]f64): [n]f64 = map f64.maximum a

-- ==
-- entry: lengths
-- input { [[3.0, 4.0], [5.0, 12.0]] } output { [5.0, 13.0] }
-- notest random input { [40000][4]f64 }
-- notest random input { [20000][8]f64 }
-- notest random input { [10000][16]f64 }
entry lengths [n] [k] (a: [n][k]f64): [n]f64 = map (\r -> f64.sqrt (f64.sum (map (\x -> x * x) r))) a

-- ==
-- entry: large
-- input { [[0.25, 0.75], [1.0, 2.0]] } output { [1.75, 5.0] }
-- notest random input { [40000][4]f64 }
-- notest random input { [20000][8]f64 }
entry large [n] [k] (a: [n][k]f64): [n]f64 = map (\r -> let s = filter (> 0.5) r in f64.sum s + f64.i64 (length s)) a

-- ==
-- entry: softmax
-- input { [[0.0, 0.0], [1.0, 1.0]] } output { [[0.5, 0.5], [0.5, 0.5]] }
-- notest random input { [40000][4]f64 }
-- notest random input { [20000][8]f64 }
entry softmax [n] [k] (a: [n][k]f64): [n][k]f64 =
  map (\r -> let m = f64.maximum r
             let e = map (\x -> f64.exp (x - m)) r
             let s = f64.sum e
             in map (/ s) e) a

-- ==
-- entry: sums_of_scans
-- input { [[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]] } output { [10.0, 6.0] }
-- notest random input { [50000][3]f64 }
-- notest random input { [20000][8]f64 }
entry sums_of_scans [n] [k] (a: [n][k]f64): [n]f64 = map (\r -> f64.sum (scan (+) 0 r)) a

-- ==
-- entry: row_sums
-- input { [[1.0f32, 2.0f32, 3.0f32], [4.0f32, 5.0f32, 6.0f32]] } output { [6.0f32, 15.0f32] }
-- notest random input { [50000][8]f32 }
-- notest random input { [33000][12]f32 }
-- notest random input { [13000][31]f32 }
entry row_sums [n] [k] (a: [n][k]f32): [n]f32 = map f32.sum a

-- Paths of a few correlated quantities: a product of two small matrices and a scan of rows for each path.
def path [d] [u] (a: [u][u]f64) (z: [d][u]f64): f64 =
  let steps = map (\row -> map (\w -> f64.exp (f64.sum (map2 (*) w row))) a) z
  in f64.sum (map f64.sum (scan (map2 (*)) (replicate u 1) steps)) / f64.i64 d

-- ==
-- entry: paths
-- input { [[0.0]] [[[0.5], [0.25]]] } output { 1.0 }
-- notest random input { [3][3]f64 [10000][5][3]f64 }
-- notest random input { [4][4]f64 [10000][16][4]f64 }
entry paths [n] [d] [u] (a: [u][u]f64) (zs: [n][d][u]f64): f64 = f64.sum (map (path a) zs)

-- ==
-- entry: paths_gradient
-- input { [[0.0]] [[[0.5], [0.25]]] } output { [[0.625]] }
-- notest random input { [3][3]f64 [10000][5][3]f64 }
-- notest random input { [4][4]f64 [10000][16][4]f64 }
entry paths_gradient [n] [d] [u] (a: [u][u]f64) (zs: [n][d][u]f64): [u][u]f64 = vjp (\a -> paths a zs) a 1

-- ==
-- entry: scans_gradient
-- input { [[1.0, 2.0], [3.0, 4.0]] } output { [[8.0, 6.0], [20.0, 14.0]] }
-- notest random input { [50000][3]f64 }
-- notest random input { [20000][8]f64 }
-- notest random input { [5000][33]f64 }
entry scans_gradient [n] [k] (a: [n][k]f64): [n][k]f64 = vjp (\a -> f64.sum (map (\r -> f64.sum (map (\x -> x * x) (scan (+) 0 r))) a)) a 1
