-- Run-time errors: their words and their place.
-- ==
-- entry: assertion
-- input { 5i32 } output { 5i32 }
-- input { -1i32 } error: Assertion is false: \(x > 0\)
entry assertion (x: i32) = assert (x > 0) x

-- ==
-- entry: place
-- input { [1i32] 3i64 } error: errors.fut:11:
entry place (xs: []i32) (i: i64) = xs[i]

-- ==
-- entry: negative_iota
-- input { -2i64 } error: Range 0..1..<-2 is invalid
entry negative_iota (n: i64) = iota n

-- The size of a range that is none, where no element of it is looked at.
-- ==
-- entry: size_of_range
-- input { 2i64 5i64 } output { 4i64 }
-- input { 5i64 2i64 } error: Range 5...2 is invalid
entry size_of_range (x: i64) (y: i64) = length (x...y)

-- ==
-- entry: count_of_range
-- input { 2i64 5i64 } output { 3i64 }
-- input { 5i64 2i64 } error: Range 5..<2 is invalid
entry count_of_range (x: i64) (y: i64) = i64.sum (map (const 1) (x..<y))

-- ==
-- entry: size_with_step
-- input { 2i64 7i64 } output { 3i64 }
-- input { 5i64 2i64 } error: Range 5..7...2 is invalid
entry size_with_step (x: i64) (y: i64) = length (x..x + 2...y)

-- ==
-- entry: negative_replicate
-- input { -1i64 } error: Negative allocation
entry negative_replicate (n: i64) = i32.sum (replicate n 1)

-- ==
-- entry: head_of_empty
-- input { empty([0]i32) } error: out of bounds for array of shape \[0\]
entry head_of_empty (xs: []i32) = head xs

-- ==
-- entry: in_map
-- input { [1i32,0i32] } error: division by zero
entry in_map (xs: []i32) = map (\x -> 10 / x) xs

-- ==
-- entry: hole
-- input { true } output { 1i32 }
-- input { false } error: Reached hole of type: i32
entry hole (b: bool): i32 = if b then 1 else ???

-- ==
-- entry: take_too_many
-- input { [1i32] 2i64 } error: Index \[:2\] out of bounds for array of shape \[1\]|Index \[0:2\] out of bounds
entry take_too_many (xs: []i32) (n: i64) = take n xs

-- Sizes of elements that are negative, where an element would say so and where there is none.
-- ==
-- entry: negative_rows
-- input { 2i64 0i64 } output { [0i64, 0i64] }
-- input { 0i64 3i64 } output { empty([0]i64) }
-- input { 2i64 -1i64 } error: Range 0..1..<-1 is invalid
-- input { 0i64 -1i64 } error: Range 0..1..<-1 is invalid
entry negative_rows (n: i64) (m: i64) = map i64.sum (tabulate_2d n m (\i j -> i + j))

-- ==
-- entry: negative_copies
-- input { 0i64 3i64 } output { empty([0][3]i64) }
-- input { 2i64 -1i64 } error: cannot replicate -1 times
-- input { 0i64 -1i64 } error: cannot replicate -1 times
entry negative_copies (n: i64) (m: i64) = map (\i -> replicate m i) (iota n)

-- ==
-- entry: negative_slices
-- input { [1i64,2i64] 1i64 2i64 } output { [[2i64],[2i64]] }
-- input { empty([0]i64) 1i64 3i64 } output { empty([0][2]i64) }
-- input { [1i64,2i64] 1i64 0i64 } error: errors.fut:85:
-- input { empty([0]i64) 1i64 0i64 } error: errors.fut:85:
entry negative_slices [n] (xs: [n]i64) (a: i64) (b: i64) = map (\_ -> xs[a:b]) xs

-- Sums over ranges whose length is negative: no element is there that could fail.
-- ==
-- entry: negative_sum
-- input { 3i64 } output { 3i64 }
-- input { -2i64 } error: Range 0..1..<-2 is invalid
entry negative_sum (n: i64) = i64.sum (iota n)

-- ==
-- entry: negative_inner_sum
-- input { 2i64 3i64 } output { 9i64 }
-- input { 0i64 -2i64 } output { 0i64 }
-- input { 1i64 -2i64 } error: Range 0..1..<-2 is invalid
entry negative_inner_sum (n: i64) (m: i64) = i64.sum (map (\i -> i64.sum (map (+ i) (iota m))) (iota n))

-- ==
-- entry: negative_counts
-- input { 5i64 } output { [3i64, 2i64] }
-- input { -2i64 } error: Range 0..1..<-2 is invalid
entry negative_counts (n: i64) = hist (+) 0i64 2 (map (% 2) (iota n)) (map (const 1) (iota n))

-- ==
-- entry: negative_writes
-- input { 2i64 } output { [5i64, 5i64, 0i64] }
-- input { -2i64 } error: Range 0..1..<-2 is invalid
entry negative_writes (n: i64) = scatter (replicate 3 0i64) (iota n) (map (const 5) (iota n))
