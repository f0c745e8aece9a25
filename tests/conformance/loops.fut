-- for, for-in and while loops; loops over tuples; arrays that grow.
-- ==
-- entry: counted
-- input { 5i32 } output { 10i32 }
-- input { -1i32 } output { 0i32 }
entry counted (n: i32) = loop s = 0 for i < n do s + i

-- ==
-- entry: narrow_counter
-- input { 4u8 } output { 6u8 }
entry narrow_counter (n: u8) = loop s = 0u8 for i < n do s + i

-- ==
-- entry: elements
-- input { [3i32,1i32,4i32] } output { 8i32 314i32 }
entry elements (xs: []i32) = (loop s = 0 for x in xs do s + x, loop s = 0 for x in xs do 10 * s + x)

-- ==
-- entry: pairs
-- input { [1i32,2i32] [3i32,4i32] } output { 11i32 }
entry pairs (a: []i32) (b: []i32) = loop s = 0 for (x, y) in zip a b do s + x * y

-- ==
-- entry: conditional
-- input { 27i32 } output { 111i32 }
entry conditional (n: i32) =
  (loop (x, steps) = (n, 0) while x != 1 do (if x % 2 == 0 then x / 2 else 3 * x + 1, steps + 1)).1

-- ==
-- entry: fibonacci
-- input { 10i32 } output { 55i32 }
entry fibonacci (n: i32) = (loop (a, b) = (0, 1) for _i < n do (b, a + b)).0

-- ==
-- entry: same_name
-- input { 3i32 } output { 8i32 }
entry same_name (n: i32) = let x = 1 in loop x for _i < n do x * 2

-- ==
-- entry: growing
-- input { 4i64 } output { [0i64,0i64,1i64,2i64,3i64] }
entry growing (n: i64) = loop xs = [0] for i < n do xs ++ [i]

-- ==
-- entry: shrinking
-- input { [5i32,6i32,7i32] } output { [7i32] }
entry shrinking (xs: []i32) = loop xs = xs while length xs > 1 do tail xs

-- ==
-- entry: swapped
-- input { [1i32] [2i32] 3i32 } output { [2i32] [1i32] }
entry swapped [n] (a: [n]i32) (b: [n]i32) (k: i32) = loop (a, b) = (a, b) for _i < k do (b, a)

-- ==
-- entry: nested
-- input { 3i64 } output { [[0i64,1i64,2i64],[3i64,4i64,5i64],[6i64,7i64,8i64]] }
entry nested (n: i64) =
  loop m = replicate n (replicate n 0) for i < n do
    loop m for j < n do m with [i, j] = i * n + j

-- ==
-- entry: record_state
-- input { 4i32 } output { 24i32 4i32 }
entry record_state (n: i32) =
  let r = loop {p, k} = {p = 1, k = 0} while k < n do {p = p * (k + 1), k = k + 1}
  in (r.p, r.k)

-- What begins these loops says nothing of some sizes: they are those that the body makes.
-- ==
-- entry: found_last
-- input { [1i64, 4i64, 3i64] } output { [5i64, 8i64, 7i64] }
-- input { [1i64, 3i64, 3i64] } output { empty([0]i64) }
def last_even [n] (xs: [n]i64): (#none | #some ([n]i64)) =
  loop found = #none for x in xs do if x % 2 == 0 then #some (map (+ x) xs) else found
entry found_last [n] (xs: [n]i64) = match last_even xs case #none -> iota 0 case #some ys -> ys

-- ==
-- entry: row_of_none
-- input { 3i64 } output { 1i64 [[2i64, 3i64, 4i64]] }
-- input { 0i64 } output { 0i64 empty([0][0]i64) }
entry row_of_none (n: i64) = let rows = loop _rows = [] for i < n do [map (+ i) (iota n)] in (length rows, rows)

-- ==
-- entry: two_of_none
-- input { 3i64 [5i64, 6i64] } output { [[5i64, 6i64]] [[5i64, 6i64], [5i64, 6i64]] }
-- input { 0i64 [5i64, 6i64] } output { empty([0][2]i64) empty([0][2]i64) }
entry two_of_none [n] (k: i64) (xs: [n]i64) = loop (a, b) = ([], []) for _i < k do (b, a ++ [xs])

-- ==
-- entry: alternating
-- input { 3i64 [5i64, 6i64] } output { [5i64, 6i64] }
-- input { 4i64 [5i64, 6i64] } output { empty([0]i64) }
entry alternating [n] (k: i64) (xs: [n]i64) =
  let last = loop last = #none for _i < k do match last case #none -> #some xs case #some _ -> (#none: #none | #some ([n]i64))
  in match last case #none -> iota 0 case #some ys -> ys
