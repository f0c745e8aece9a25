-- Sums of floats beside sums of integers, and extremes of both, in one loop; at sizes around those of vectors.
-- ==
-- entry: means
-- input { 0i64 } output { 0f64 0i64 }
-- input { 1i64 } output { 0f64 0i64 }
-- input { 7i64 } output { 21f64 91i64 }
-- input { 8i64 } output { 28f64 140i64 }
-- input { 33i64 } output { 138f64 11440i64 }
-- input { 100i64 } output { 450f64 328350i64 }
-- input { 1000i64 } output { 4500f64 332833500i64 }

-- ==
-- entry: counts
-- input { 0i64 } output { 0f32 0i32 0u8 0i64 }
-- input { 1i64 } output { 0f32 0i32 0u8 0i64 }
-- input { 7i64 } output { 21f32 21i32 21u8 3i64 }
-- input { 8i64 } output { 28f32 28i32 28u8 4i64 }
-- input { 33i64 } output { 240f32 240i32 240u8 24i64 }
-- input { 100i64 } output { 726f32 726i32 214u8 72i64 }
-- input { 1000i64 } output { 7468f32 7468i32 44u8 748i64 }

-- ==
-- entry: extremes
-- input { 0i64 } output { -f64.inf 9223372036854775807i64 -2147483648i32 0f64 }
-- input { 1i64 } output { 0f64 0i64 0i32 0f64 }
-- input { 7i64 } output { 84f64 0i64 84i32 272f64 }
-- input { 8i64 } output { 84f64 0i64 84i32 329f64 }
-- input { 33i64 } output { 100f64 0i64 100i32 1659f64 }
-- input { 100i64 } output { 100f64 0i64 100i32 4986f64 }
-- input { 1000i64 } output { 100f64 0i64 100i32 50010f64 }

entry means (n: i64): (f64, i64) =
  reduce (\(a, c) (b, d) -> (a + b, c + d)) (0, 0) (tabulate n (\i -> (f64.i64 (i % 10), i * i)))

entry counts (n: i64): (f32, i32, u8, i64) =
  let xs = tabulate n (\i -> f32.i64 (i % 16))
  in (f32.sum xs, i32.sum (map i32.f32 xs), u8.sum (map u8.f32 xs), i64.sum (map (\x -> i64.bool (x > 3)) xs))

entry extremes (n: i64): (f64, i64, i32, f64) =
  let xs = tabulate n (\i -> f64.i64 ((i * 37) % 101))
  in (f64.maximum xs, i64.minimum (map i64.f64 xs), i32.maximum (map i32.f64 xs), f64.sum xs)
