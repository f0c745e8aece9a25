-- prelude: flatmap, on the host: devices have no loops whose arrays change their size.
-- ==
-- entry: irregular
-- input { [2i64,0i64,3i64,0i64,1i64] }
-- output { [2i64,0i64,3i64,0i64,1i64] [true,false,true,false,false,true] [0i64,2i64,2i64,5i64,5i64] [0i64,1i64,0i64,1i64,2i64,0i64] }
-- input { empty([0]i64) } output { empty([0]i64) empty([0]bool) empty([0]i64) empty([0]i64) }
-- input { [0i64, 0i64] } output { [0i64, 0i64] empty([0]bool) [0i64, 0i64] empty([0]i64) }
-- input { [1i64, -1i64] } error: invalid
def up (n: i64): ?[k].[k]i64 = 0..<n
entry irregular (ns: []i64) = flatmap' up ns

-- ==
-- entry: others
-- input { [4i64,0i64,6i64] }
-- output { [2i64,0i64,3i64] [0i64,2i64,2i64] [0i64,2i64,0i64,2i64,4i64] [[4i64,16i64],[0i64,0i64],[6i64,36i64]] }
entry others (ns: []i64) =
  let (sizes, _, offsets, data, squares) = flatmap (\n -> (filter (\i -> i % 2 == 0) (iota n), [n, n * n])) ns
  in (sizes, offsets, data, squares)

-- Rows as elements, inside of a map.
-- ==
-- entry: rows
-- input { [[1i64,2i64],[3i64,0i64]] } output { [[3i64,6i64],[5i64,8i64]] }
def pairs (n: i64): ?[k].[k][2]i64 = map (\i -> [i, i + 1]) (iota n)
entry rows (nss: [][]i64) =
  map (\ns -> let (_, _, _, data) = flatmap' pairs ns
              in map (\j -> i64.sum (map (.[j]) data) + length data - 1) (iota 2)) nss

-- The work is linear.
-- ==
-- entry: many
-- input { 20000i64 } output { 190000i64 855000i64 }
entry many (n: i64) =
  let (sizes, _, _, data) = flatmap' (\i -> filter (>= 0) (iota (i % 20))) (iota n)
  in (i64.sum sizes, i64.sum data * 3 / 4)

-- Derivatives go through it.
-- ==
-- entry: gradient
-- input { [1f64,2f64,3f64] } output { [2f64,9f64,81f64] }
def powers (x: f64): ?[k].[k]f64 = map (\i -> x ** f64.i64 i) (1...i64.f64 x)
entry gradient (xs: []f64) =
  vjp (\xs -> f64.sum (map2 (*) [2, 1, 2, 0, 0, 3] ((flatmap' powers xs).3 :> [6]f64))) xs 1
