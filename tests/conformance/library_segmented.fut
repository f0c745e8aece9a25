-- prelude/lib/segmented: empty segments at the beginning, in the middle and at the end, no segment, one segment, no element.
import "/prelude/lib/segmented"

-- ==
-- entry: lengths
-- input { 6i64 [2i64, 0i64, 3i64, 1i64] } output { [0i64, 2i64, 2i64, 5i64, 6i64] [0i64, 0i64, 2i64, 2i64, 2i64, 3i64] [true, false, true, false, false, true] }
-- input { 3i64 [0i64, 0i64, 3i64, 0i64] } output { [0i64, 0i64, 0i64, 3i64, 3i64] [2i64, 2i64, 2i64] [true, false, false] }
-- input { 0i64 [0i64] } output { [0i64, 0i64] empty([0]i64) empty([0]bool) }
-- input { 0i64 empty([0]i64) } output { [0i64] empty([0]i64) empty([0]bool) }
entry lengths (n: i64) (ls: []i64) = (begins_of_lengths ls, segments_of_lengths n ls, flags_of_lengths n ls)

-- ==
-- entry: flags
-- input { [true, false, true, true] } output { [2i64, 1i64, 1i64] [0i64, 1i64, 0i64, 0i64] }
-- input { [false, false, true, false] } output { [2i64, 2i64] [0i64, 1i64, 0i64, 1i64] }
-- input { [false] } output { [1i64] [0i64] }
-- input { empty([0]bool) } output { empty([0]i64) empty([0]i64) }
entry flags (fs: []bool) = (lengths_of_flags fs, segmented_iota fs)

-- An operator that minds the order.
-- ==
-- entry: scans
-- input { [false, false, true, false, true] [[1i32, 2i32], [3i32, 4i32], [5i32, 6i32], [7i32, 8i32], [9i32, 10i32]] }
-- output { [[1i32, 2i32], [3i32, 10i32], [5i32, 6i32], [35i32, 50i32], [9i32, 10i32]] }
entry scans [n] (fs: [n]bool) (xs: [n][2]i32) =
  segmented_scan (\a b -> [a[0] * b[0], a[1] * b[0] + b[1]]) [1, 0] fs xs

-- ==
-- entry: sums
-- input { [0i64, 2i64, 0i64, 3i64, 0i64] [1i32, 2i32, 3i32, 4i32, 5i32] } output { [0i32, 3i32, 0i32, 12i32, 0i32] }
-- input { [5i64] [1i32, 2i32, 3i32, 4i32, 5i32] } output { [15i32] }
-- input { [0i64, 0i64] empty([0]i32) } output { [0i32, 0i32] }
-- input { empty([0]i64) empty([0]i32) } output { empty([0]i32) }
entry sums (ls: []i64) (xs: []i32) = segmented_reduce (+) 0 ls xs

-- ==
-- entry: bins
-- input { [3i64, 0i64, 2i64] [0i64, 1i64, 0i64, 1i64, 7i64] [1i32, 2i32, 3i32, 4i32, 5i32] }
-- output { [[4i32, 2i32], [0i32, 0i32], [0i32, 4i32]] [[14i32, 12i32], [10i32, 10i32], [10i32, 14i32]] }
entry bins [n] [s] (ls: [s]i64) (is: [n]i64) (xs: [n]i32) =
  (segmented_hist (+) 0 2 ls is xs, segmented_reduce_by_index (replicate s (replicate 2 10)) (+) 0 ls is xs)

-- ==
-- entry: copies
-- input { [2i64, 0i64, 1i64] [7i32, 8i32, 9i32] } output { [0i64, 0i64, 2i64] [7i32, 7i32, 9i32] }
-- input { [0i64] [7i32] } output { empty([0]i64) empty([0]i32) }
entry copies [n] (counts: [n]i64) (xs: [n]i32) = (replicated_iota counts, replicated counts xs)

-- The divisors of each number, and their sum.
-- ==
-- entry: expanded
-- input { [3i64, 0i64, 2i64] } output { [0i64, 3i64, 6i64, 0i64, 2i64] [9i64, 0i64, 2i64] }
-- input { empty([0]i64) } output { empty([0]i64) empty([0]i64) }
entry expanded (xs: []i64) =
  (expand id (*) xs, expand_reduce id (*) (+) 0 xs)
