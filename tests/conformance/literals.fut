-- Literals of every type, with suffixes, bases and underscores; characters and strings.
-- ==
-- entry: integers
-- input { } output { 1i8 -2i16 3i32 -4i64 255u8 65535u16 7u32 18446744073709551615u64 255i32 5i32 1000i32 97i32 }
entry integers =
  (1i8, -2i16, 3i32, -4i64, 255u8, 65535u16, 7u32, 18446744073709551615u64, 0xffi32, 0b101i32, 1_000i32, 'a')

-- ==
-- entry: floats
-- input { } output { 1.5f16 2.25f32 -0.125f64 1e10f64 3.0f64 1e-3f32 true false }
entry floats = (1.5f16, 2.25f32, -0.125f64, 1e10f64, 3f64, 1e-3f32, true, false)

-- ==
-- entry: text
-- input { } output { [104u8, 105u8, 10u8] empty([0]u8) 2i64 }
entry text = ("hi\n", drop 2 "ab", length "ab")

-- ==
-- entry: defaults
-- input { } output { 1i32 1.0f64 }
entry defaults = (1, 1.0)
