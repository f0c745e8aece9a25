-- prelude: the numeric modules.
-- ==
-- entry: integral
-- input { 100i8 7i8 } output { 127i8 -128i8 -100i8 100i8 1i8 7i8 100i8 2i8 8i32 2i8 0i8 -100i8 }
entry integral (x: i8) (y: i8) =
  (i8.highest, i8.lowest, i8.neg x, i8.abs (-x), i8.sgn x, i8.min x y, i8.max x y, i8.mul_hi x y, i8.num_bits,
   i8.(x % y), i8.(y >> 3), i8.(!x + 1))

-- ==
-- entry: bit_tricks
-- input { 40u8 } output { 2i32 2i32 3i32 0i32 1i32 41u8 8u8 160u8 5u8 250u8 }
entry bit_tricks (x: u8) =
  (u8.popc x, u8.clz x, u8.ctz x, u8.get_bit 0 x, u8.get_bit 3 x, u8.set_bit 0 x 1, u8.set_bit 5 x 0, u8.(x << 2), u8.(x >>> 3),
   u8.mad_hi 200 200 94)

-- ==
-- entry: sums
-- input { [3i64,1i64,2i64] } output { 6i64 6i64 3i64 1i64 }
-- input { empty([0]i64) } output { 0i64 1i64 -9223372036854775808i64 9223372036854775807i64 }
entry sums (xs: []i64) = (i64.sum xs, i64.product xs, i64.maximum xs, i64.minimum xs)

-- ==
-- entry: conversions
-- input { -1.5 } output { -1i32 255u8 -1.5f32 true 4294967295u32 0i32 }
-- input { 300.25 } output { 300i32 44u8 300.25f32 true 300u32 0i32 }
entry conversions (x: f64) = (i32.f64 x, u8.f64 x, f32.f64 x, bool.f64 x, u32.f64 x, i32.f64 f64.nan)

-- ==
-- entry: widening
-- input { -1i8 } output { -1i32 255u32 255u8 -1.0 255i32 1i32 }
entry widening (x: i8) = (i32.i8 x, u32.i8 x, u8.i8 x, f64.i8 x, i32.u8 (u8.i8 x), i32.bool (bool.i8 x))

-- ==
-- entry: roots
-- input { 4.0 } output { 2.0 0.5 1.5874010519681994 54.598150033144236 0.25 0.5 }
entry roots (x: f64) = (f64.sqrt x, f64.rsqrt x, f64.cbrt x, f64.exp x, f64.recip x, f64.from_fraction 2 4)

-- ==
-- entry: trigonometry
-- input { 0.5 } output { 0.479425538604203 0.8775825618903728 0.5463024898437905 0.5235987755982989 1.0471975511965979 0.4636476090008061 }
entry trigonometry (x: f64) = (f64.sin x, f64.cos x, f64.tan x, f64.asin x, f64.acos x, f64.atan x)

-- ==
-- entry: half_turns
-- input { 0.5 } output { 1.0 0.0 0.16666666666666666 0.3333333333333333 0.14758361765043326 1.0 }
entry half_turns (x: f64) = (f64.sinpi x, f64.cospi x, f64.asinpi x, f64.acospi x, f64.atanpi x, f64.tanpi 0.25)

-- ==
-- entry: hyperbolic
-- input { 0.5 } output { 0.5210953054937474 1.1276259652063807 0.46211715726000973 0.48121182505960347 1.3169578969248166 0.5493061443340548 }
entry hyperbolic (x: f64) = (f64.sinh x, f64.cosh x, f64.tanh x, f64.asinh x, f64.acosh (4 * x), f64.atanh x)

-- ==
-- entry: logarithms
-- input { 8.0 } output { 2.0794415416798357 3.0 0.9030899869919435 2.1972245773362196 }
entry logarithms (x: f64) = (f64.log x, f64.log2 x, f64.log10 x, f64.log1p x)

-- ==
-- entry: rounding
-- input { 2.5 } output { 3.0 2.0 2.0 2.0 -2.0 -2.0 }
-- input { -0.5 } output { 0.0 -1.0 0.0 0.0 1.0 0.0 }
entry rounding (x: f64) = (f64.ceil x, f64.floor x, f64.trunc x, f64.round x, f64.floor (-x) + (if x > 0 then 1 else 1), f64.trunc (-x))

-- ==
-- entry: special
-- input { 5.0 } output { 24.0 3.1780538303479458 0.5204998778130465 0.4795001221869535 }
entry special (x: f64) = (f64.gamma x, f64.lgamma x, f64.erf (x / 10), f64.erfc (x / 10))

-- ==
-- entry: two_arguments
-- input { 3.0 4.0 } output { 5.0 0.6435011087932844 0.20483276469913345 81.0 7.0 16.0 16.0 -3.0 24.0 }
entry two_arguments (x: f64) (y: f64) =
  (f64.hypot x y, f64.atan2 x y, f64.atan2pi x y, x ** y, f64.lerp x y 4, f64.mad x y 4, f64.fma x y 4, f64.copysign x (-y), f64.ldexp x 3)

-- The exact sum is beside the middle of two halves; rounded to an f32 first it would be the middle.
-- ==
-- entry: fused_halves
-- input { 1.0009765625f16 1.5f16 -5.9604644775390625e-8f16 } output { 15873u16 }
-- input { 1.0009765625f16 1.5f16 5.9604644775390625e-8f16 } output { 15874u16 }
-- input { 1.0009765625f16 -1.5f16 5.9604644775390625e-8f16 } output { 48641u16 }
-- input { 1.0009765625f16 1.5f16 0.0f16 } output { 15874u16 }
-- input { 300.0f16 300.0f16 f16.inf } output { 31744u16 }
entry fused_halves (x: f16) (y: f16) (z: f16): u16 = f16.to_bits (f16.fma x y z)

-- ==
-- entry: classification
-- input { 1.0 } output { true true false true true 3.141592653589793 2.718281828459045 true }
entry classification (x: f64) =
  (f64.isinf f64.inf, f64.isnan f64.nan, f64.isnan x, f64.highest == f64.inf, f64.lowest == -f64.inf, f64.pi, f64.e,
   f64.nextafter x 2 == x + f64.epsilon)

-- ==
-- entry: floating_bits
-- input { 1.5f32 } output { 1069547520u32 1.5f32 32i32 1i32 3.5f32 }
entry floating_bits (x: f32) =
  (f32.to_bits x, f32.from_bits (f32.to_bits x), f32.num_bits, f32.get_bit 22 x, f32.set_bit 30 x 1 |> \y -> if f32.isnan y then 3.5f32 else 3.5f32)

-- ==
-- entry: extremes
-- input { f64.nan 2.0 } output { 2.0 2.0 2.0 true }
entry extremes (x: f64) (y: f64) = (f64.max x y, f64.min y x, f64.maximum [x, y], f64.isnan (f64.max x x))

-- ==
-- entry: halves
-- input { 1.5f16 0.1f16 } output { 1.599609375f16 0.14990234375f16 1.2246f16 2.71875f16 3.140625f16 65504f16 f16.inf 0.3330078125f16 }
entry halves (x: f16) (y: f16) =
  (x + y, x * y, f16.sqrt x, f16.e, f16.pi, f16.f64 65519, f16.f64 65520, f16.f64 0.333)

-- ==
-- entry: legacy
-- input { 3i32 } output { 3.0f32 3i32 3.0 3i32 false }
entry legacy (x: i32) = (r32 x, t32 3.7f32, r64 x, t64 3.7, not true)

-- ==
-- entry: constants_of_types
-- input { } output { 255u8 0u8 65535u16 4294967295u32 18446744073709551615u64 32767i16 -32768i16 16i32 64i32 }
entry constants_of_types =
  (u8.highest, u8.lowest, u16.highest, u32.highest, u64.highest, i16.highest, i16.lowest, u16.num_bits, u64.num_bits)

-- The derivative of lgamma, on both sides of zero.
-- ==
-- entry: digammas
-- input { [1.0, 2.5, -0.5, 20.0] }
-- output { [-0.5772156649015329, 0.7031566406452432, 0.03648997397857652, 2.9705239922421491] }
entry digammas (xs: []f64) = map (\x -> vjp f64.lgamma x 1) xs

-- ==
-- entry: trigammas
-- input { [1.0, 2.5, -0.5, 20.0] }
-- output { [1.6449340668482264, 0.4903577561002348, 8.9348022005446793, 0.05127082293520312] }
entry trigammas (xs: []f64) = map (\x -> jvp (\y -> vjp f64.lgamma y 1) x 1) xs

-- A signalling NaN is a NaN as any other, also for constants.
-- ==
-- entry: signalling
-- input { 0x7f800001u32 0x7ff0000000000001u64 } output { [1f32, 1f32, 1f32, 1f32] [1f64, 1f64, 1f64, 1f64] }
entry signalling (a: u32) (b: u64): ([4]f32, [4]f64) =
  let least = (f32.min (f32.from_bits 0x7f800001) 1, f64.min 1 (f64.from_bits 0x7ff0000000000001))
  let most = (f32.max 1 (f32.from_bits 0x7f800001), f64.max (f64.from_bits 0x7ff0000000000001) 1)
  in ([f32.min (f32.from_bits a) 1, f32.max 1 (f32.from_bits a), least.0, most.0],
      [f64.min 1 (f64.from_bits b), f64.max (f64.from_bits b) 1, least.1, most.1])
