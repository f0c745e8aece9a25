-- Scans and reductions whose elements are matrices, tuples of arrays, or functions of state machines.
def mm [n] (a: [n][n]i64) (b: [n][n]i64): [n][n]i64 =
  map (\r -> map (\c -> i64.sum (map2 (*) r c)) (transpose b)) a

def eye (n: i64): [n][n]i64 = tabulate_2d n n (\i j -> i64.bool (i == j))
-- ==
-- entry: fibs
-- input { 7i64 } output { [1i64, 1i64, 2i64, 3i64, 5i64, 8i64, 13i64] }
-- input { 0i64 } output { empty([0]i64) }
entry fibs (n: i64) = scan mm (eye 2) (replicate n [[1, 1], [1, 0]]) |> map (\m -> m[0, 1])
-- ==
-- entry: power
-- input { [[1i64,1i64,0i64],[0i64,1i64,1i64],[0i64,0i64,1i64]] 5i64 }
-- output { [[1i64, 5i64, 10i64], [0i64, 1i64, 5i64], [0i64, 0i64, 1i64]] }
entry power [n] (m: [n][n]i64) (k: i64) = reduce mm (eye n) (replicate k m)

-- ==
-- entry: pairs
-- input { [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32]] }
-- output { [[1i32, 2i32], [4i32, 6i32], [9i32, 12i32]] [[-1i32, -2i32], [-1i32, -2i32], [-1i32, -2i32]] [9i32, 12i32] [5i32,
--   6i32] }
entry pairs [n] [m] (xs: [n][m]i32) =
  let op (a, x) (b, y) = (map2 (+) a b, map2 i32.max x y)
  let (s, t) =
    scan op (replicate m 0, replicate m i32.lowest) (zip xs (map (map (* -1)) xs)) |> unzip
  let (u, v) = reduce op (replicate m 0, replicate m i32.lowest) (zip xs xs)
  in (s, t, u, v)

-- ==
-- entry: automaton
-- input { [0u8, 1u8, 1u8, 0u8, 1u8] } output { [0i64, 1i64, 0i64, 0i64, 1i64] [1i64, 0i64, 2i64] }
-- input { empty([0]u8) } output { empty([0]i64) [0i64, 1i64, 2i64] }
entry automaton [n] (bits: [n]u8) =
  let table (b: u8): [3]i64 = if b == 0 then [0, 2, 1] else [1, 0, 2]
  let compose (f: [3]i64) (g: [3]i64): [3]i64 = map (\s -> g[s]) f
  let states = scan compose [0, 1, 2] (map table bits)
  in (map (.[0]) states, reduce compose (iota 3 :> [3]i64) (map table bits))
