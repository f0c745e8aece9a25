-- Scalar operations: every operation with a derivative.
-- ad: powers { 0.7 }
def powers (x: f64) =
  (f64.sqrt x, f64.rsqrt x, f64.cbrt x, f64.exp x, f64.recip x, x ** 3, x ** 0.5, 2 ** x, x * x - 1 / x, -x)

-- ad: logarithms { 0.7 }
def logarithms (x: f64) = (f64.log x, f64.log2 x, f64.log10 x, f64.log1p x)

-- ad: circular { 0.3 }
def circular (x: f64) =
  (f64.sin x, f64.cos x, f64.tan x, f64.asin x, f64.acos x, f64.atan x, f64.sinpi x, f64.cospi x, f64.tanpi x,
   f64.asinpi x, f64.acospi x, f64.atanpi x)

-- ad: hyperbolic { 0.3 }
def hyperbolic (x: f64) = (f64.sinh x, f64.cosh x, f64.tanh x, f64.asinh x, f64.acosh (x + 1.5), f64.atanh x)

-- ad: special { 1.3 }
def special (x: f64) = (f64.gamma x, f64.lgamma x, f64.erf x, f64.erfc x, f64.abs x, f64.abs (-x))

-- ad: flat { 1.3 }
def flat (x: f64) = (f64.floor x, f64.ceil x, f64.trunc x, f64.round x, f64.sgn x, f64.i32 (i32.f64 x), x - f64.i64 (i64.f64 x))

-- ad: bits { 1.3 }
def bits (x: f64) = (f64.from_bits (f64.to_bits (x * x)) * x, f32.from_bits (f32.to_bits (f32.f64 x)), f64.u64 (f64.to_bits x & 1))

-- rule: scalar.apply
-- ad: binary { 0.7 1.9 }
def binary (x: f64, y: f64) =
  (x + y, x - y, x * y, x / y, x ** y, y % x, f64.max x y, f64.min x y, f64.hypot x y, f64.atan2 x y, f64.atan2pi x y,
   f64.copysign x (-y))

-- ad: ternary { 0.7 1.9 -0.4 }
def ternary (x: f64, y: f64, z: f64) = (f64.fma x y z, f64.mad x y z, f64.lerp x y z, f64.ldexp x 3)

-- ad: narrow { 0.7f32 }
def narrow (x: f32) = f64.f32 (x * x) + f64.sin (f64.f32 x)

-- rule: scalar.convert
-- ad: mixed { 0.7 3i32 }
def mixed (x: f64, n: i32) = (x * f64.i32 n, n + 1, x > 0.5)
