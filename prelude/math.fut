-- | Numbers: what they have in common as module types, and one module for each type.

import "soacs"
import "array"

-- | Conversion from any primitive type.
module type from_prim = {
  type t
  val i8: i8 -> t
  val i16: i16 -> t
  val i32: i32 -> t
  val i64: i64 -> t
  val u8: u8 -> t
  val u16: u16 -> t
  val u32: u32 -> t
  val u64: u64 -> t
  val f16: f16 -> t
  val f32: f32 -> t
  val f64: f64 -> t
  val bool: bool -> t
}

-- | What all numbers can do.
module type numeric = {
  include from_prim
  val +: t -> t -> t
  val -: t -> t -> t
  val *: t -> t -> t
  val /: t -> t -> t
  val %: t -> t -> t
  val **: t -> t -> t
  val ==: t -> t -> bool
  val !=: t -> t -> bool
  val <: t -> t -> bool
  val <=: t -> t -> bool
  val >: t -> t -> bool
  val >=: t -> t -> bool
  val to_i64: t -> i64
  val neg: t -> t
  val abs: t -> t
  -- | -1, 0 or 1
  val sgn: t -> t
  val min: t -> t -> t
  val max: t -> t -> t
  val highest: t
  val lowest: t
  val sum [n]: [n]t -> t
  val product [n]: [n]t -> t
  val maximum [n]: [n]t -> t
  val minimum [n]: [n]t -> t
}

-- | Integers.
module type integral = {
  include numeric
  val //: t -> t -> t
  val %%: t -> t -> t
  val &: t -> t -> t
  val |: t -> t -> t
  val ^: t -> t -> t
  val not: t -> t
  val <<: t -> t -> t
  val >>: t -> t -> t
  -- | Shift right, filling with zeros.
  val >>>: t -> t -> t
  val num_bits: i32
  val get_bit: i32 -> t -> i32
  val set_bit: i32 -> t -> i32 -> t
  val popc: t -> i32
  val clz: t -> i32
  val ctz: t -> i32
  val mul_hi: t -> t -> t
  val mad_hi: t -> t -> t -> t
}

-- | Numbers with a fraction.
module type real = {
  include numeric
  val recip: t -> t
  val from_fraction: i64 -> i64 -> t
  val to_f64: t -> f64
  val sqrt: t -> t
  val rsqrt: t -> t
  val cbrt: t -> t
  val exp: t -> t
  val sin: t -> t
  val cos: t -> t
  val tan: t -> t
  val asin: t -> t
  val acos: t -> t
  val atan: t -> t
  val sinpi: t -> t
  val cospi: t -> t
  val tanpi: t -> t
  val asinpi: t -> t
  val acospi: t -> t
  val atanpi: t -> t
  val sinh: t -> t
  val cosh: t -> t
  val tanh: t -> t
  val asinh: t -> t
  val acosh: t -> t
  val atanh: t -> t
  val gamma: t -> t
  val lgamma: t -> t
  val erf: t -> t
  val erfc: t -> t
  val log: t -> t
  val log2: t -> t
  val log10: t -> t
  val log1p: t -> t
  val ceil: t -> t
  val floor: t -> t
  val trunc: t -> t
  val round: t -> t
  val atan2: t -> t -> t
  val atan2pi: t -> t -> t
  val hypot: t -> t -> t
  val lerp: t -> t -> t -> t
  val mad: t -> t -> t -> t
  val fma: t -> t -> t -> t
  val isinf: t -> bool
  val isnan: t -> bool
  val inf: t
  val nan: t
  val pi: t
  val e: t
}

-- | Floating-point numbers.
module type float = {
  include real
  -- | The unsigned integers of the same width.
  type int_t
  val to_bits: t -> int_t
  val from_bits: int_t -> t
  val num_bits: i32
  val get_bit: i32 -> t -> i32
  val set_bit: i32 -> t -> i32 -> t
  val epsilon: t
  val nextafter: t -> t -> t
  val ldexp: t -> i32 -> t
  val copysign: t -> t -> t
}

-- What the modules below have in common, for any type with a zero and a one.
local module mk_numeric (T: { type t  val zero: t  val one: t  val highest: t  val lowest: t }) = {
  type t = T.t
  #[intrinsic(convert)] def i8 (x: i8): t = ???
  #[intrinsic(convert)] def i16 (x: i16): t = ???
  #[intrinsic(convert)] def i32 (x: i32): t = ???
  #[intrinsic(convert)] def i64 (x: i64): t = ???
  #[intrinsic(convert)] def u8 (x: u8): t = ???
  #[intrinsic(convert)] def u16 (x: u16): t = ???
  #[intrinsic(convert)] def u32 (x: u32): t = ???
  #[intrinsic(convert)] def u64 (x: u64): t = ???
  #[intrinsic(convert)] def f16 (x: f16): t = ???
  #[intrinsic(convert)] def f32 (x: f32): t = ???
  #[intrinsic(convert)] def f64 (x: f64): t = ???
  #[intrinsic(convert)] def bool (x: bool): t = ???
  #[intrinsic(add)] def (+) (x: t) (y: t): t = ???
  #[intrinsic(sub)] def (-) (x: t) (y: t): t = ???
  #[intrinsic(mul)] def (*) (x: t) (y: t): t = ???
  #[intrinsic(pow)] def (**) (x: t) (y: t): t = ???
  #[intrinsic(eq)] def (==) (x: t) (y: t): bool = ???
  #[intrinsic(ne)] def (!=) (x: t) (y: t): bool = ???
  #[intrinsic(lt)] def (<) (x: t) (y: t): bool = ???
  #[intrinsic(le)] def (<=) (x: t) (y: t): bool = ???
  def (>) (x: t) (y: t): bool = y < x
  def (>=) (x: t) (y: t): bool = y <= x
  #[intrinsic(convert)] def to_i64 (x: t): i64 = ???
  #[intrinsic] def neg (x: t): t = ???
  #[intrinsic] def abs (x: t): t = ???
  #[intrinsic] def sgn (x: t): t = ???
  #[intrinsic] def min (x: t) (y: t): t = ???
  #[intrinsic] def max (x: t) (y: t): t = ???
  def highest: t = T.highest
  def lowest: t = T.lowest
  def sum [n] (xs: [n]t): t = reduce (+) T.zero xs
  def product [n] (xs: [n]t): t = reduce (*) T.one xs
  def maximum [n] (xs: [n]t): t = reduce max T.lowest xs
  def minimum [n] (xs: [n]t): t = reduce min T.highest xs
}

local module mk_integral (T: { type t  val zero: t  val one: t  val highest: t  val lowest: t  val num_bits: i32 }): integral with t = T.t = {
  open mk_numeric T
  #[intrinsic(div)] def (/) (x: t) (y: t): t = ???
  #[intrinsic(mod)] def (%) (x: t) (y: t): t = ???
  #[intrinsic(quot)] def (//) (x: t) (y: t): t = ???
  #[intrinsic(rem)] def (%%) (x: t) (y: t): t = ???
  #[intrinsic(and)] def (&) (x: t) (y: t): t = ???
  #[intrinsic(or)] def (|) (x: t) (y: t): t = ???
  #[intrinsic(xor)] def (^) (x: t) (y: t): t = ???
  #[intrinsic(not)] def not (x: t): t = ???
  #[intrinsic(shl)] def (<<) (x: t) (y: t): t = ???
  #[intrinsic(shr)] def (>>) (x: t) (y: t): t = ???
  #[intrinsic(lshr)] def (>>>) (x: t) (y: t): t = ???
  #[intrinsic] def popc (x: t): i32 = ???
  #[intrinsic] def clz (x: t): i32 = ???
  #[intrinsic] def ctz (x: t): i32 = ???
  #[intrinsic] def mul_hi (x: t) (y: t): t = ???
  #[intrinsic] def mad_hi (x: t) (y: t) (z: t): t = ???
  #[intrinsic(convert)] local def to_i32 (x: t): i32 = ???
  def num_bits: i32 = T.num_bits
  def get_bit (bit: i32) (x: t): i32 = to_i32 ((x >>> i32 bit) & T.one)
  def set_bit (bit: i32) (x: t) (b: i32): t = (x & not (T.one << i32 bit)) | (i32 b << i32 bit)
}

local module mk_float (T: { type t  val zero: t  val one: t  val highest: t  val lowest: t  val pi: t  val e: t  val nan: t  val epsilon: t })
                      (I: integral): float with t = T.t with int_t = I.t = {
  open mk_numeric T
  type int_t = I.t
  #[intrinsic(div)] def (/) (x: t) (y: t): t = ???
  #[intrinsic(rem)] def (%) (x: t) (y: t): t = ???
  #[intrinsic(convert)] def to_f64 (x: t): f64 = ???
  def recip (x: t): t = T.one / x
  def from_fraction (x: i64) (y: i64): t = i64 x / i64 y
  #[intrinsic] def sqrt (x: t): t = ???
  #[intrinsic] def rsqrt (x: t): t = ???
  #[intrinsic] def cbrt (x: t): t = ???
  #[intrinsic] def exp (x: t): t = ???
  #[intrinsic] def sin (x: t): t = ???
  #[intrinsic] def cos (x: t): t = ???
  #[intrinsic] def tan (x: t): t = ???
  #[intrinsic] def asin (x: t): t = ???
  #[intrinsic] def acos (x: t): t = ???
  #[intrinsic] def atan (x: t): t = ???
  #[intrinsic] def sinpi (x: t): t = ???
  #[intrinsic] def cospi (x: t): t = ???
  #[intrinsic] def tanpi (x: t): t = ???
  #[intrinsic] def asinpi (x: t): t = ???
  #[intrinsic] def acospi (x: t): t = ???
  #[intrinsic] def atanpi (x: t): t = ???
  #[intrinsic] def sinh (x: t): t = ???
  #[intrinsic] def cosh (x: t): t = ???
  #[intrinsic] def tanh (x: t): t = ???
  #[intrinsic] def asinh (x: t): t = ???
  #[intrinsic] def acosh (x: t): t = ???
  #[intrinsic] def atanh (x: t): t = ???
  #[intrinsic] def gamma (x: t): t = ???
  #[intrinsic] def lgamma (x: t): t = ???
  #[intrinsic] def erf (x: t): t = ???
  #[intrinsic] def erfc (x: t): t = ???
  #[intrinsic] def log (x: t): t = ???
  #[intrinsic] def log2 (x: t): t = ???
  #[intrinsic] def log10 (x: t): t = ???
  #[intrinsic] def log1p (x: t): t = ???
  #[intrinsic] def ceil (x: t): t = ???
  #[intrinsic] def floor (x: t): t = ???
  #[intrinsic] def trunc (x: t): t = ???
  #[intrinsic] def round (x: t): t = ???
  #[intrinsic] def atan2 (y: t) (x: t): t = ???
  #[intrinsic] def atan2pi (y: t) (x: t): t = ???
  #[intrinsic] def hypot (x: t) (y: t): t = ???
  #[intrinsic] def lerp (v0: t) (v1: t) (x: t): t = ???
  #[intrinsic] def fma (a: t) (b: t) (c: t): t = ???
  def mad (a: t) (b: t) (c: t): t = a * b + c
  #[intrinsic] def isinf (x: t): bool = ???
  #[intrinsic] def isnan (x: t): bool = ???
  def inf: t = T.highest
  def nan: t = T.nan
  def pi: t = T.pi
  def e: t = T.e
  #[intrinsic] def to_bits (x: t): int_t = ???
  #[intrinsic] def from_bits (x: int_t): t = ???
  def num_bits: i32 = I.num_bits
  def get_bit (bit: i32) (x: t): i32 = I.get_bit bit (to_bits x)
  def set_bit (bit: i32) (x: t) (b: i32): t = from_bits (I.set_bit bit (to_bits x) b)
  def epsilon: t = T.epsilon
  #[intrinsic] def nextafter (x: t) (y: t): t = ???
  #[intrinsic] def ldexp (x: t) (n: i32): t = ???
  #[intrinsic] def copysign (x: t) (y: t): t = ???
}

-- | Conversions to bool.
module bool: from_prim with t = bool = {
  type t = bool
  #[intrinsic(convert)] def i8 (x: i8): t = ???
  #[intrinsic(convert)] def i16 (x: i16): t = ???
  #[intrinsic(convert)] def i32 (x: i32): t = ???
  #[intrinsic(convert)] def i64 (x: i64): t = ???
  #[intrinsic(convert)] def u8 (x: u8): t = ???
  #[intrinsic(convert)] def u16 (x: u16): t = ???
  #[intrinsic(convert)] def u32 (x: u32): t = ???
  #[intrinsic(convert)] def u64 (x: u64): t = ???
  #[intrinsic(convert)] def f16 (x: f16): t = ???
  #[intrinsic(convert)] def f32 (x: f32): t = ???
  #[intrinsic(convert)] def f64 (x: f64): t = ???
  #[intrinsic(convert)] def bool (x: bool): t = ???
}

module i8: integral with t = i8 = mk_integral {
  type t = i8
  def zero = 0i8
  def one = 1i8
  def highest = 127i8
  def lowest = -127i8 - 1i8
  def num_bits = 8i32
}

module i16: integral with t = i16 = mk_integral {
  type t = i16
  def zero = 0i16
  def one = 1i16
  def highest = 32767i16
  def lowest = -32767i16 - 1i16
  def num_bits = 16i32
}

module i32: integral with t = i32 = mk_integral {
  type t = i32
  def zero = 0i32
  def one = 1i32
  def highest = 2147483647i32
  def lowest = -2147483647i32 - 1i32
  def num_bits = 32i32
}

module i64: integral with t = i64 = mk_integral {
  type t = i64
  def zero = 0i64
  def one = 1i64
  def highest = 9223372036854775807i64
  def lowest = -9223372036854775807i64 - 1i64
  def num_bits = 64i32
}

module u8: integral with t = u8 = mk_integral {
  type t = u8
  def zero = 0u8
  def one = 1u8
  def highest = 255u8
  def lowest = 0u8
  def num_bits = 8i32
}

module u16: integral with t = u16 = mk_integral {
  type t = u16
  def zero = 0u16
  def one = 1u16
  def highest = 65535u16
  def lowest = 0u16
  def num_bits = 16i32
}

module u32: integral with t = u32 = mk_integral {
  type t = u32
  def zero = 0u32
  def one = 1u32
  def highest = 4294967295u32
  def lowest = 0u32
  def num_bits = 32i32
}

module u64: integral with t = u64 = mk_integral {
  type t = u64
  def zero = 0u64
  def one = 1u64
  def highest = 18446744073709551615u64
  def lowest = 0u64
  def num_bits = 64i32
}

module f64: float with t = f64 with int_t = u64 = mk_float {
  type t = f64
  def zero = 0f64
  def one = 1f64
  def highest = 1f64 / 0f64
  def lowest = -1f64 / 0f64
  def pi = 3.14159265358979323846f64
  def e = 2.71828182845904523536f64
  def nan = 0f64 / 0f64
  def epsilon = 0x1.0p-52f64
} u64

module f32: float with t = f32 with int_t = u32 = mk_float {
  type t = f32
  def zero = 0f32
  def one = 1f32
  def highest = 1f32 / 0f32
  def lowest = -1f32 / 0f32
  def pi = 3.14159265358979323846f32
  def e = 2.71828182845904523536f32
  def nan = 0f32 / 0f32
  def epsilon = 0x1.0p-23f32
} u32

module f16: float with t = f16 with int_t = u16 = mk_float {
  type t = f16
  def zero = 0f16
  def one = 1f16
  def highest = 1f16 / 0f16
  def lowest = -1f16 / 0f16
  def pi = 3.14159265358979323846f16
  def e = 2.71828182845904523536f16
  def nan = 0f16 / 0f16
  def epsilon = 0x1.0p-10f16
} u16

-- Conversions of old programs.
def r32 (x: i32): f32 = f32.i32 x
def t32 (x: f32): i32 = i32.f32 x
def r64 (x: i32): f64 = f64.i32 x
def t64 (x: f64): i32 = i32.f64 x
