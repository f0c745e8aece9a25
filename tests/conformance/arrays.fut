-- Indexing, slicing, ranges and their errors.
-- ==
-- entry: index
-- input { [[1i32,2i32,3i32],[4i32,5i32,6i32]] 1i64 2i64 } output { 6i32 [4i32,5i32,6i32] [3i32,6i32] 2i32 }
-- input { [[1i32,2i32,3i32],[4i32,5i32,6i32]] 2i64 0i64 } error: Index \[2, 0\] out of bounds for array of shape \[2\]\[3\]
-- input { [[1i32,2i32,3i32],[4i32,5i32,6i32]] -1i64 0i64 } error: Index \[-1, 0\] out of bounds for array of shape \[2\]\[3\]
entry index (a: [][]i32) (i: i64) (j: i64) = (a[i, j], a[i], a[:, j], a[0][1])

-- ==
-- entry: slice
-- input { [0i32,1i32,2i32,3i32,4i32] 1i64 4i64 2i64 } output { [1i32,2i32,3i32] [1i32,3i32] [0i32,1i32,2i32,3i32] [1i32,2i32,3i32,4i32] }
-- input { [0i32,1i32,2i32,3i32,4i32] 4i64 1i64 -1i64 } error: Index \[4:1\] out of bounds for array of shape \[5\]
-- input { [0i32,1i32,2i32,3i32,4i32] 9i64 9i64 1i64 } error: Index \[:9\] out of bounds for array of shape \[5\]
-- input { [0i32,1i32,2i32,3i32,4i32] 1i64 3i64 0i64 } error: Index \[1:3:0\] out of bounds for array of shape \[5\]
entry slice (a: []i32) (i: i64) (j: i64) (s: i64) = (a[i:j], a[i:j:s], a[:j], a[i:])

-- ==
-- entry: backwards
-- input { [0i32,1i32,2i32,3i32,4i32] } output { [4i32,3i32,2i32,1i32,0i32] [4i32,2i32,0i32] [3i32,2i32] [0i32,2i32,4i32] }
entry backwards (a: []i32) = (a[::-1], a[::-2], a[3:1:-1], a[::2])

-- ==
-- entry: empty
-- input { [0i32,1i32] } output { empty([0]i32) empty([0]i32) 0i64 }
entry empty (a: []i32) = (a[1:1], a[2:], length (a[0:0]))

-- ==
-- entry: ranges
-- input { 1i32 6i32 2i32 } output { [1i32,2i32,3i32,4i32,5i32] [1i32,2i32,3i32,4i32,5i32,6i32] [1i32,3i32,5i32] [6i32,5i32,4i32,3i32,2i32] [1i32,3i32,5i32] [6i32,4i32,2i32] }
entry ranges (a: i32) (b: i32) (s: i32) = (a..<b, a...b, a..(a+s)..<b, b..>a, a..(a+s)...b, b..(b-s)..>a)

-- ==
-- entry: range_errors
-- input { 5i64 1i64 } error: Range 5..<1 is invalid
-- input { 1i64 1i64 } output { 0i64 }
entry range_errors (a: i64) (b: i64) = i64.sum (a..<b)

-- ==
-- entry: step_zero
-- input { 1i64 1i64 5i64 } error: Range 1..1..<5 is invalid
-- input { 1i64 3i64 5i64 } output { 4i64 }
entry step_zero (a: i64) (b: i64) (c: i64) = i64.sum (a..b..<c)

-- ==
-- entry: narrow
-- input { } output { [250u8,251u8,252u8] [3i8,2i8] }
entry narrow = (250u8..<253u8, 3i8..>1i8)

-- ==
-- entry: literals
-- input { 1i32 2i32 } output { [1i32,2i32,3i32] [[1i32,2i32],[2i32,1i32]] [[1i32],[2i32]] }
entry literals (x: i32) (y: i32) = ([x, y, x + y], [[x, y], [y, x]], [[x], [y]])

-- ==
-- entry: big_literal
-- input { 66i64 } output { 67i32 }
entry big_literal (i: i64) =
  [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,
   35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67i32][i]
