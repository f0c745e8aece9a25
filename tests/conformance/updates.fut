-- In-place updates: elements, slices, records inside arrays, and what is not changed by them.
-- ==
-- entry: element
-- input { [1i32,2i32,3i32] 1i64 9i32 } output { [1i32,9i32,3i32] }
-- input { [1i32,2i32,3i32] 3i64 9i32 } error: Index \[3\] out of bounds for array of shape \[3\]
entry element (a: *[]i32) (i: i64) (x: i32) = a with [i] = x

-- ==
-- entry: sugar
-- input { [1i32,2i32,3i32] } output { [7i32,2i32,8i32] }
entry sugar (a: *[]i32) = let a[0] = 7 let a[2] = 8 in a

-- ==
-- entry: slice
-- input { [1i32,2i32,3i32,4i32] [7i32,8i32] } output { [1i32,7i32,8i32,4i32] }
-- input { [1i32,2i32,3i32,4i32] [7i32,8i32,9i32] } error: Shape of slice does not match shape of value
entry slice (a: *[]i32) (b: []i32) = a with [1:3] = b

-- ==
-- entry: row
-- input { [[1i32,2i32],[3i32,4i32]] } output { [[9i32,9i32],[3i32,4i32]] [[1i32,5i32],[3i32,6i32]] }
entry row (a: [][]i32) = (copy a with [0] = [9, 9], copy a with [:, 1] = [5, 6])

-- ==
-- entry: original
-- input { [1i32,2i32] } output { [1i32,2i32] [1i32,0i32] }
entry original (a: []i32) = (a, copy a with [1] = 0)

-- ==
-- entry: fields
-- input { 1i32 } output { 5i32 2i32 [1i32, 2i32] }
entry fields (x: i32) =
  let r = {a = x, b = {c = 2, d = [1, 2i32]}}
  let r = r with a = 5
  let s = r with b.c = 3
  in (s.a, r.b.c, s.b.d)

-- ==
-- entry: array_of_records
-- input { [1i32,2i32] } output { [1i32,7i32] [3i64,3i64] }
entry array_of_records (a: []i32) =
  let ps = map (\x -> {x, n = 3i64}) a
  let ps = ps with [1].x = 7
  in (map (.x) ps, map (.n) ps)

-- ==
-- entry: of_zip
-- input { [1i32,2i32] [3i64,4i64] } output { [1i32,2i32] [9i32,2i32] [8i64,4i64] }
entry of_zip (a: []i32) (b: []i64) =
  let zs = zip a b
  let zs = zs with [0] = (9, 8)
  let (c, d) = unzip zs
  in (a, c, d)

-- ==
-- entry: in_loop
-- input { 5i64 } output { [0i64,1i64,4i64,9i64,16i64] }
entry in_loop (n: i64) = loop a = replicate n 0 for i < n do a with [i] = i * i

-- ==
-- entry: consumed_parameter
-- input { [1i32,2i32] } output { [3i32,2i32] }
def set (a: *[]i32) (x: i32): *[]i32 = a with [0] = x
entry consumed_parameter (a: []i32) = set (copy a) 3

-- Rows, slices and copies of what was made of an array before its update.
-- ==
-- entry: rows_of_before
-- input { [1i64,2i64] } output { [5i64,5i64] [2i64,3i64] [[2i64,3i64]] [50i64,3i64] }
entry rows_of_before [n] (a: [n]i64) =
  let b = map (+ 1) a
  let rows = map (\_ -> b) a
  let b[0] = 50
  in (map i64.sum rows, copy rows[n - 1], copy rows[1:], b)

-- ==
-- entry: literal_of_before
-- input { [1i64,2i64] } output { [2i64,3i64] 3i64 [[2i64,3i64],[1i64,2i64]] [50i64,3i64] }
entry literal_of_before [n] (a: [n]i64) =
  let b = map (+ 1) a
  let both = [b, a]
  let b[0] = 50
  in (copy both[0], both[0, 1], copy both, b)

-- What zip and a map that changes nothing give is fresh: an update of what they are made of does not show there.
-- ==
-- entry: made_of_zip
-- input { [1i64,2i64] } output { [2i64,3i64] [50i64,3i64] [1i64,2i64] }
entry made_of_zip [n] (a: [n]i64) =
  let b = map (+ 1) a
  let z = zip b a
  let b[0] = 50
  in (map (.0) z, b, map (.1) z)

-- ==
-- entry: made_of_map
-- input { [1i64,2i64] } output { [2i64,3i64] [50i64,3i64] [60i64,3i64] }
entry made_of_map [n] (a: [n]i64) =
  let b = map (+ 1) a
  let c = map (\x -> x) b
  let b[0] = 50
  let d = if n > 1 then c else b
  let c = copy c
  let c[0] = d[0] + 58
  in (d, b, c)

-- ==
-- entry: written_from_itself
-- input { [1i64,2i64,3i64] } output { [2i64,2i64,3i64] [2i64,3i64,4i64] }
entry written_from_itself [n] (a: [n]i64) =
  let b = map (+ 1) a
  let (c, _) = unzip (zip b a)
  let b[1:] = c[:n - 1]
  in (b, c)

-- ==
-- entry: loop_over_shared
-- input { [1i64,2i64] } output { [5i64,10i64] [2i64,3i64] }
entry loop_over_shared [n] (a: [n]i64) =
  let b = map (+ 1) a
  let z = zip b a
  let x = loop b for i < n do b with [i] = b[0] + z[i].0 + z[i].1
  in (x, map (.0) z)

-- A part is computed from itself, but not element by element: zeros come first, and some of them stay.
-- ==
-- entry: part_of_itself
-- input { [1f64,2f64,3f64,4f64,5f64,6f64] 4i64 2i64 } output { [2f64,6f64,8f64,0f64,0f64,7f64] }
-- input { [1f64,2f64,3f64,4f64,5f64,6f64] 5i64 5i64 } output { [2f64,6f64,8f64,10f64,12f64,14f64] }
entry part_of_itself [n] (xs: [n]f64) (m: i64) (k: i64) =
  let ys = map (+ 1) xs
  let part = ys[1:1 + m]
  let done = loop s = replicate m 0f64 for i < k do s with [i] = part[i] * 2
  in ys with [1:1 + m] = done

-- ==
-- entry: shifted_in_itself
-- input { [1i64,2i64,3i64,4i64] } output { [6i64,8i64,10i64,5i64] [2i64,4i64,6i64,8i64] }
entry shifted_in_itself [n] (a: [n]i64) =
  let b = map (+ 1) a
  let back = loop s = replicate (n - 1) 0 for i < n - 1 do s with [i] = 2 * b[i + 1]
  let c = map (+ 1) a
  let ahead = loop s = replicate (n - 1) 0 for i < n - 1 do s with [i] = 2 * c[i]
  in (b with [0:n - 1] = back, c with [1:n] = ahead)
