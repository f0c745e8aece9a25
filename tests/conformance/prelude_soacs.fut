-- prelude: the parallel operators and sequential folds.
-- ==
-- entry: maps
-- input { [1i32,2i32] } output { [2i32,4i32] [2i32,4i32] [3i32,6i32] [4i32,8i32] [5i32,10i32] [2i32,3i32] }
entry maps [n] (a: [n]i32) =
  (map (* 2) a, map2 (+) a a, map3 (\x y z -> x + y + z) a a a, map4 (\x y z w -> x + y + z + w) a a a a,
   map5 (\x y z w v -> x + y + z + w + v) a a a a a, map1 (+ 1) a)

-- ==
-- entry: reductions
-- input { [1i32,2i32,3i32] } output { 6i32 6i32 3i32 [1i32,3i32,6i32] [0i32,1i32,3i32] }
-- input { empty([0]i32) } output { 0i32 0i32 -2147483648i32 empty([0]i32) empty([0]i32) }
entry reductions (a: []i32) =
  (reduce (+) 0 a, reduce_comm (+) 0 a, reduce i32.max i32.lowest a, scan (+) 0 a, exscan (+) 0 a)

-- An operator that is associative but not commutative, on pairs.
-- ==
-- entry: affine
-- input { [2i32,3i32] [1i32,1i32] } output { 6i32 4i32 [2i32,6i32] [1i32,4i32] }
entry affine [n] (a: [n]i32) (b: [n]i32) =
  let op (a1: i32, b1: i32) (a2: i32, b2: i32) = (a1 * a2, b1 * a2 + b2)
  let (x, y) = reduce op (1, 0) (zip a b)
  let (xs, ys) = unzip (scan op (1, 0) (zip a b))
  in (x, y, xs, ys)

-- ==
-- entry: rows
-- input { [[1i32,2i32],[3i32,4i32]] } output { [4i32,6i32] [[1i32,2i32],[4i32,6i32]] }
entry rows [n][m] (a: [n][m]i32) =
  (reduce (map2 (+)) (replicate m 0) a, scan (map2 (+)) (replicate m 0) a)

-- ==
-- entry: predicates
-- input { [1i32,2i32] } output { true false true false }
-- input { empty([0]i32) } output { true false true false }
entry predicates (a: []i32) = (all (> 0) a, any (> 2) a, and (map (> 0) a), or (map (> 2) a))

-- ==
-- entry: histograms
-- input { [0i64,1i64,1i64,5i64,-1i64] [1i32,2i32,3i32,4i32,5i32] } output { [1i32,5i32,0i32] [11i32,15i32,10i32] [1i32,3i32,-2147483648i32] }
entry histograms [n] (is: [n]i64) (vs: [n]i32) =
  (hist (+) 0 3 is vs, reduce_by_index (replicate 3 10) (+) 0 is vs, hist i32.max i32.lowest 3 is vs)

-- ==
-- entry: histograms_2d
-- input { [0i64,1i64,1i64,2i64] [0i64,1i64,1i64,0i64] } output { [[1i32,0i32],[0i32,2i32]] [[[1i32,0i32],[0i32,2i32]]] }
entry histograms_2d [n] (is: [n]i64) (js: [n]i64) =
  (reduce_by_index_2d (replicate 2 (replicate 2 0)) (+) 0 (zip is js) (replicate n 1),
   reduce_by_index_3d (replicate 1 (replicate 2 (replicate 2 0))) (+) 0 (zip3 (replicate n 0) is js) (replicate n 1))

-- ==
-- entry: histogram_of_pairs
-- input { [0i64,0i64] [1i32,5i32] } output { [5i32,0i32] [6i32,0i32] }
entry histogram_of_pairs [n] (is: [n]i64) (vs: [n]i32) =
  unzip (hist (\(a, b) (c, d) -> (i32.max a c, b + d)) (0, 0) 2 is (zip vs vs))

-- ==
-- entry: scatters
-- input { [0i64,2i64,7i64] [5i32,6i32,7i32] } output { [5i32,0i32,6i32] [5i32,1i32,6i32] [[1i32,9i32],[1i32,1i32]] [[5i32,5i32],[0i32,0i32],[6i32,6i32]] }
entry scatters [n] (is: [n]i64) (vs: [n]i32) =
  (scatter (replicate 3 0) is vs, spread 3 1 is vs, scatter_2d (replicate 2 (replicate 2 1)) [(0, 1)] [9],
   scatter (replicate 3 (replicate 2 0)) is (map (replicate 2) vs))

-- ==
-- entry: scatter_3d_
-- input { 3i32 } output { [[[0i32,3i32],[0i32,0i32]]] }
entry scatter_3d_ (x: i32) = scatter_3d (replicate 1 (replicate 2 (replicate 2 0))) [(0, 0, 1)] [x]

-- ==
-- entry: filters
-- input { [1i32,2i32,3i32,4i32] } output { [2i32,4i32] [2i32,4i32] [1i32,3i32] [1i32] [4i32] [2i32,3i32] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) }
entry filters (a: []i32) =
  let even x = x % 2 == 0
  let (b, c) = partition even a
  let (d, e, f) = partition2 (< 2) (> 3) a
  in (filter even a, b, c, d, e, f)

-- ==
-- entry: folds
-- input { [1i32,2i32,3i32] } output { 123i32 321i32 }
entry folds (a: []i32) = (foldl (\s x -> 10 * s + x) 0 a, foldr (\x s -> 10 * s + x) 0 a)
