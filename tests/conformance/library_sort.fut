-- prelude/lib/sort: every type, stability, the ends of the ranges, sizes around those of blocks.
import "/prelude/lib/sort"

-- ==
-- entry: integers
-- input { [3i8, -1i8, 127i8, -128i8, 0i8, 3i8] } output { [-128i64, -1i64, 0i64, 3i64, 3i64, 127i64] [3i64, 1i64, 4i64, 0i64, 5i64, 2i64] }
-- input { empty([0]i8) } output { empty([0]i64) empty([0]i64) }
entry integers (xs: []i8) = (map i64.i8 (radix_i8.sort xs), radix_i8.argsort xs)

-- ==
-- entry: corners
-- input { } output { [-32768i16, -5i16, 7i16, 32767i16] [-2147483648i32, -5i32, 7i32, 2147483647i32]
--   [-9223372036854775808i64, -5i64, 7i64, 9223372036854775807i64] [0u8, 7u8, 128u8, 255u8] [0u16, 7u16, 32768u16, 65535u16]
--   [0u32, 7u32, 2147483648u32, 4294967295u32] [0u64, 7u64, 9223372036854775808u64, 18446744073709551615u64] }
entry corners =
  ( radix_i16.sort [i16.highest, -5, 7, i16.lowest], radix_i32.sort [i32.highest, -5, 7, i32.lowest],
    radix_i64.sort [i64.highest, -5, 7, i64.lowest], radix_u8.sort [128, u8.highest, 7, 0], radix_u16.sort [1 << 15, u16.highest, 7, 0],
    radix_u32.sort [1 << 31, u32.highest, 7, 0], radix_u64.sort [1 << 63, u64.highest, 7, 0] )

-- What is no number comes last, whatever its sign.
-- ==
-- entry: floats
-- input { } output { [-f16.inf, -1.5f16, -0.0f16, 0.0f16, 2.0f16, f16.inf, f16.nan] [-f32.inf, -1.5f32, -0.0f32, 0.0f32, 2.0f32, f32.inf, f32.nan]
--   [-f64.inf, -1.5, -0.0, 0.0, 2.0, f64.inf, f64.nan] [4i64, 1i64, 3i64, 2i64, 0i64, 5i64, 6i64] [1i64, 0i64] }
entry floats =
  ( radix_f16.sort [2, -1.5, 0, -0.0, -f16.inf, f16.inf, f16.nan], radix_f32.sort [2, -1.5, 0, -0.0, -f32.inf, f32.inf, f32.nan],
    radix_f64.sort [2, -1.5, 0, -0.0, -f64.inf, f64.inf, f64.nan], radix_f64.argsort [2, -1.5, 0, -0.0, -f64.inf, f64.inf, f64.nan],
    radix_f32.argsort [f32.copysign f32.nan (-1), f32.inf] )

-- Many equal keys: both ways give the same permutation, the only stable one.
-- ==
-- entry: agree
-- input { 0i64 } output { true true }
-- input { 1i64 } output { true true }
-- input { 255i64 } output { true true }
-- input { 256i64 } output { true true }
-- input { 257i64 } output { true true }
-- input { 1500i64 } output { true true }
entry agree (n: i64) =
  let xs = map (\i -> i32.i64 ((i * 7919 + 13) % 101) - 50) (iota n)
  let order = radix_i32.argsort xs
  let stable i = i == 0 || xs[order[i - 1]] < xs[order[i]] || (xs[order[i - 1]] == xs[order[i]] && order[i - 1] < order[i])
  in (all stable (iota n), and (map2 (==) order (argsort_by (<=) xs)) && is_sorted_by (<=) (sort_by (<=) xs))

-- ==
-- entry: keys
-- input { [5i32, -3i32, 2i32, -2i32, 3i32] } output { [2i32, -2i32, -3i32, 3i32, 5i32] [5i32, -3i32, 3i32, 2i32, -2i32] }
entry keys (xs: []i32) =
  (radix_u32.sort_by_key (\x -> u32.i32 (i32.abs x)) xs, sort_by_key i32.abs (>=) xs)

-- ==
-- entry: merged
-- input { [1i32, 3i32, 3i32] [0i32, 3i32, 4i32, 9i32] } output { [0i32, 1i32, 3i32, 3i32, 3i32, 4i32, 9i32] [1i64, 0i64, 0i64, 0i64, 1i64, 1i64, 1i64] }
-- input { empty([0]i32) [1i32] } output { [1i32] [1i64] }
-- input { [1i32] empty([0]i32) } output { [1i32] [0i64] }
entry merged [n] [m] (xs: [n]i32) (ys: [m]i32) =
  unzip (merge (\a b -> a.0 <= b.0) (zip xs (replicate n 0i64)) (zip ys (replicate m 1i64)))

-- ==
-- entry: ranks
-- input { [1i32, 3i32, 3i32, 5i32] 3i32 } output { 1i64 3i64 }
-- input { empty([0]i32) 3i32 } output { 0i64 0i64 }
entry ranks (xs: []i32) (x: i32) = (rank (< x) xs, rank (<= x) xs)

-- The rows of a matrix, each on its own.
-- ==
-- entry: rows
-- input { [[3.0, 1.0, 2.0], [-1.0, -2.0, -3.0]] } output { [[1.0, 2.0, 3.0], [-3.0, -2.0, -1.0]] [[1.0, 2.0, 3.0], [-3.0, -2.0, -1.0]] }
entry rows (xss: [][]f64) = (map radix_f64.sort xss, map (sort_by (<=)) xss)
