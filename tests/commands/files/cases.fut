-- Cases of every kind; some of them are meant to fail.
-- ==
-- input { 1i32 2i32 } output { 1i64 }
-- input { 1i64 } output { 2i64 }
-- input { 1i64 } output { 1i64 }
-- input { 7i64 } error: foo
-- input { -7i64 } error: foo
-- input { -7i64 } error: Assertion is (true|false)
-- input { -7i64 }
-- "with a title" tag1 input { 3i64 } output { 3i64 }
entry main (x: i64) = assert (x >= 0) x

-- ==
-- entry: pair
-- input { 1i64 } output { 1i64 [1.5, 2.5] }
-- input { 1i64 } output { 1i64 [1.5, 2.51] }
-- input { 1i64 } output { 1i64 }
-- input { 1i64 } output { 1i64 [1.5, 2.5, 3.5] }
-- input { 1i64 } output { 1i64 [1.5f32, 2.5f32] }
entry pair (x: i64) = (x, [1.5f64, 2.5])

-- ==
-- entry: nope
-- input { } output { }
