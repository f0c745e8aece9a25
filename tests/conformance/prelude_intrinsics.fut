-- What only `intrinsics.NAME` reaches: accumulators that a stream of updates writes, and strided views of flat arrays.

type~ acc 'a = intrinsics.acc a

def write [k] 'a (out: *acc ([k]a)) (i: i64) (x: a): *acc ([k]a) = intrinsics.acc_write out i x

-- One write for each element, outside ignored; a function with a name; no write at all.
-- ==
-- entry: writes
-- input { [1, 2, 3, 4, 5] [1i64, 7i64, 3i64, -1i64] } output { [1, 10, 3, 30, 5] }
-- input { [1, 2] empty([0]i64) } output { [1, 2] }
def write_tenfold [n] (out: *acc ([n]i32)) (i: i64): acc ([n]i32) = write out i (i32.i64 i * 10)
entry writes [n] (xs: *[n]i32) (is: []i64) = intrinsics.scatter_stream xs write_tenfold is

-- Loops of both kinds, branches and matches pass the accumulator on.
-- ==
-- entry: loops
-- input { [0, 0, 0, 0, 0] [3i64, 0i64, 4i64] } output { [4, 2, 7, 6, 4] }
entry loops [n] (xs: *[n]i32) (is: []i64) =
  intrinsics.hist_stream xs (+) 0 (\(out: *acc ([n]i32)) i ->
    let out = loop out for j < n do if j < i then write out j 1 else out
    let (out, _) = loop (out, j) = (out, i) while j < n do (write out j 2, j + 2)
    in match i case 0 -> write (write out 2 1) 3 3 case 3 -> write out 2 2 case _ -> out) is

-- The program of the same meaning without accumulators.
entry loops_by_arrays [n] (xs: *[n]i32) (is: []i64) =
  loop xs for i in is do
    let xs = map2 (\j x -> if j < i then x + 1 else x) (iota n) xs
    let xs = map2 (\j x -> if j >= i && (j - i) % 2 == 0 then x + 2 else x) (iota n) xs
    in match i case 0 -> copy xs with [2] = xs[2] + 1 with [3] = xs[3] + 3 case 3 -> copy xs with [2] = xs[2] + 2 case _ -> xs
-- ==
-- entry: loops_by_arrays
-- input { [0, 0, 0, 0, 0] [3i64, 0i64, 4i64] } output { [4, 2, 7, 6, 4] }

-- Elements that are pairs, an operator of one's own, and a stream of pairs.
-- ==
-- entry: pairs
-- input { [1, 1, 1] [0f32, 9f32, 0f32] [0i64, 1i64, 0i64, 5i64] [1f32, 2f32, 3f32, 4f32] }
-- output { [3, 2, 1] [3f32, 9f32, 0f32] }
entry pairs [n] (as: *[n]i32) (bs: *[n]f32) (is: []i64) (vs: []f32) =
  unzip (intrinsics.hist_stream (zip as bs) (\(a, b) (c, d) -> (a + c, f32.max b d)) (0, -f32.inf)
                                (\(out: *acc ([n](i32, f32))) (i, v) -> write out i (1, v)) (zip is vs))

-- Rows; the accumulator in a record; a function of two sizes.
-- ==
-- entry: rows
-- input { [[1, 2], [3, 4], [5, 6]] [2i64, 0i64, 2i64] } output { [[1, 3], [3, 4], [9, 12]] }
def add_row [n] [m] (r: {out: *acc ([n][m]i32), at: i64}): acc ([n][m]i32) = write r.out r.at (map (\j -> i32.i64 (j + r.at)) (iota m))
entry rows [n] [m] (xs: *[n][m]i32) (is: []i64) =
  intrinsics.hist_stream xs (map2 (+)) (replicate m 0) (\(out: *acc ([n][m]i32)) at -> add_row {out, at}) is

-- A stream inside a map, and inside another stream; elements without components.
-- ==
-- entry: inside_map
-- input { [[0, 0, 0], [1, 1, 1]] [[0i64, 0i64, 1i64], [2i64, 2i64, 1i64]] } output { [[2, 1, 0], [1, 2, 3]] }
entry inside_map [n] [m] [k] (xs: [n][m]i32) (iss: [n][k]i64) =
  map2 (\x is -> intrinsics.hist_stream (copy x) (+) 0 (\(out: *acc ([m]i32)) i -> write out i 1) is) xs iss
-- ==
-- entry: inside_stream
-- input { [0, 0, 0, 0] [[0i64, 2i64, 1i64], [2i64, 1i64, 9i64], [9i64, 0i64, 1i64]] } output { [0, 1, 0, 2] }
entry inside_stream [n] [k] (xs: *[n]i32) (iss: [][k]i64) =
  intrinsics.hist_stream xs (+) 0 (\(out: *acc ([n]i32)) is ->
    let sum = i64.sum (intrinsics.scatter_stream (replicate 3 0) (\(inner: *acc ([3]i64)) i -> write inner i i) is)
    in write out sum 1) iss
-- ==
-- entry: nothing
-- input { 3i64 [0i64, 1i64] } output { 3i64 }
entry nothing (n: i64) (is: []i64) =
  length (intrinsics.scatter_stream (replicate n ()) (\(out: *acc ([n]())) i -> write out i ()) is)

-- The derivative of a stream.
-- ==
-- entry: gradient
-- input { [1i64, 0i64, 1i64, 7i64] [1f64, 2f64, 3f64, 4f64] [10f64, 100f64] } output { [200f64, 40f64, 600f64, 0f64] }
entry gradient [n] [k] (is: [n]i64) (xs: [n]f64) (seed: [k]f64) =
  vjp (\xs -> intrinsics.hist_stream (replicate k 0) (+) 0 (\(out: *acc ([k]f64)) (i, x) -> write out i (x * x)) (zip is xs)) xs seed

-- Views: rows that overlap, backwards, a block of a matrix; what is not there is refused, also by strides that would wrap around.
-- ==
-- entry: view2
-- input { [1, 2, 3, 4, 5] 0i64 2i64 2i64 3i64 1i64 } output { [[1, 2, 3], [3, 4, 5]] }
-- input { [1, 2, 3, 4, 5] 4i64 2i64 -2i64 3i64 -1i64 } output { [[5, 4, 3], [3, 2, 1]] }
-- input { [1, 2, 3, 4, 5] 2i64 0i64 9i64 2i64 1i64 } output { empty([0][2]i32) }
-- input { [1, 2, 3, 4, 5] 0i64 2i64 2i64 4i64 1i64 } error: Flat slice out of bounds: 0 and
-- input { [1, 2, 3, 4, 5] 0i64 2i64 -1i64 2i64 1i64 } error: Flat slice out of bounds
-- input { [1, 2, 3, 4, 5] 0i64 5i64 4611686018427387904i64 1i64 1i64 } error: Flat slice out of bounds
-- input { [1, 2, 3, 4, 5] 0i64 3i64 -9223372036854775808i64 1i64 1i64 } error: Flat slice out of bounds
-- input { [1, 2, 3, 4, 5] 0i64 -1i64 1i64 1i64 1i64 } error: Flat slice out of bounds
entry view2 (xs: []i32) (offset: i64) (n: i64) (s: i64) (m: i64) (t: i64) = intrinsics.flat_index_2d xs offset n s m t
-- ==
-- entry: view3 view4
-- input { [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] } output { [[3, 7, 11], [15, 19, 23]] }
entry view3 (xs: [12]i32) = map (map i32.sum) (intrinsics.flat_index_3d xs 0 2 6 3 2 2 1)
entry view4 (xs: [12]i32) = map (map i32.sum) (head (intrinsics.flat_index_4d xs 0 1 99 2 6 3 2 2 1))
-- ==
-- entry: update2
-- input { [1, 2, 3, 4, 5, 6] 0i64 3i64 2i64 [[9, 8], [7, 6]] } output { [9, 2, 8, 7, 5, 6] }
-- input { [1, 2, 3, 4, 5] 1i64 2i64 1i64 [[9, 8], [7, 6]] } output { [1, 9, 8, 7, 6] }
-- input { [1, 2, 3, 4, 5] 2i64 2i64 1i64 [[9, 8], [7, 6]] } error: Flat slice out of bounds
entry update2 (xs: *[]i32) (offset: i64) (s: i64) (t: i64) (vs: [][]i32) = intrinsics.flat_update_2d xs offset s t vs
-- ==
-- entry: update3 update4
-- input { [1, 2, 3, 4, 5, 6, 7, 8, 9] [[[10, 11], [12, 13]], [[14, 15], [16, 17]]] }
-- output { [1, 17, 16, 15, 14, 13, 12, 11, 10] }
entry update3 (xs: *[]i32) (vs: [][][]i32) = intrinsics.flat_update_3d xs 8 (-4) (-2) (-1) vs
entry update4 (xs: *[]i32) (vs: [][][]i32) = intrinsics.flat_update_4d xs 8 0 (-4) (-2) (-1) [vs]
-- ==
-- entry: view_gradient
-- input { [1f64, 2f64, 3f64, 4f64, 5f64] } output { [1f64, 2f64, 2f64, 2f64, 1f64] }
entry view_gradient (xs: [5]f64) = vjp (\xs -> f64.sum (flatten (intrinsics.flat_index_2d xs 0 2 1 4 1))) xs 1
