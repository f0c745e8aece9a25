-- The overloaded operators on integers, booleans and floats.
-- ==
-- entry: signed
-- input { 7i32 2i32 }   output { 9i32 5i32 14i32 3i32 1i32 3i32 1i32 49i32 }
-- input { -7i32 2i32 }  output { -5i32 -9i32 -14i32 -4i32 1i32 -3i32 -1i32 49i32 }
-- input { 7i32 -2i32 }  error: negative exponent
-- input { 7i32 0i32 }   error: division by zero
entry signed (x: i32) (y: i32) = (x + y, x - y, x * y, x / y, x % y, x // y, x %% y, x ** y)

-- ==
-- entry: unsigned
-- input { 250u8 7u8 } output { 1u8 243u8 214u8 35u8 5u8 35u8 5u8 250u8 }
entry unsigned (x: u8) (y: u8) = (x + y, x - y, x * y, x / y, x % y, x // y, x %% y, x | 2)

-- ==
-- entry: bits
-- input { 12i32 10i32 } output { 8i32 14i32 6i32 12288i32 0i32 -13i32 }
-- input { -8i32 1i32 } output { 0i32 -7i32 -7i32 -16i32 -4i32 7i32 }
entry bits (x: i32) (y: i32) = (x & y, x | y, x ^ y, x << y, x >> y, !x)

-- ==
-- entry: wrap
-- input { } output { -128i8 0u8 -2147483648i32 -2147483648i32 0i32 }
def least = -2147483647i32 - 1
entry wrap = (127i8 + 1, 255u8 + 1, 2147483647i32 + 1, least / (-1), least % (-1))

-- ==
-- entry: compare
-- input { 1i32 2i32 } output { true true false false false true }
-- input { 2i32 2i32 } output { false true false true true false }
entry compare (x: i32) (y: i32) = (x < y, x <= y, x > y, x >= y, x == y, x != y)

-- ==
-- entry: logic
-- input { true false } output { false true false true false }
entry logic (a: bool) (b: bool) = (a && b, a || b, !a, b < a, a == b)

-- The right operand of && and || is evaluated only if it matters.
-- ==
-- entry: shortcut
-- input { [1i32] 0i64 } output { true true }
-- input { [1i32] 5i64 } output { false true }
entry shortcut (xs: []i32) (i: i64) = (i < length xs && xs[i] == 1, i >= length xs || xs[i] == 1)

-- ==
-- entry: real
-- input { 7.5 -2.0 } output { 5.5 9.5 -15.0 -3.75 1.5 0.017777777777777778 -7.5 }
entry real (x: f64) (y: f64) = (x + y, x - y, x * y, x / y, x % y, x ** y, -x)

-- ==
-- entry: special
-- input { f64.nan 1.0 } output { false false true false }
-- input { f64.inf 1.0 } output { false false true true }
entry special (x: f64) (y: f64) = (x < y, x == y, x != y, x > y)

-- ==
-- entry: precedence
-- input { } output { 7i32 9i32 1i32 true -8i32 }
entry precedence = (1 + 2 * 3, (1 + 2) * 3, 10 - 5 - 4, 1 + 1 == 2 && 2 < 3, -2 ** 3)

-- User operators, infix names and sections.
def (<+>) (a: i32) (b: i32) = 10 * a + b
def minus (a: i32) (b: i32) = a - b
-- ==
-- entry: own
-- input { 1i32 2i32 } output { 12i32 -1i32 3i32 21i32 -8i32 8i32 }
entry own (x: i32) (y: i32) = (x <+> y, x `minus` y, (+) x y, (<+> x) y, (10 `minus`) y - 16, (`minus` y) 10)

-- What fails with constants fails when it is used.
-- ==
-- entry: by_zero
-- input { 1i32 } error: division by zero
entry by_zero (x: i32) = map (+ 1i32 / 0) [x]

-- ==
-- entry: remainder
-- input { 1i32 } error: division by zero
entry remainder (x: i32) = (x, 7u8 %% (1 - 1))

-- ==
-- entry: exponent
-- input { 1i32 } error: negative exponent
entry exponent (x: i32) = x + 2 ** (-1)

-- A comparison with 0 beside one with a constant of another type.
-- ==
-- entry: beside
-- input { 1i64 1.0 } output { true true }
-- input { 1i64 2.5 } output { false false }
-- input { -1i64 1.0 } output { false false }
entry beside (i: i64) (x: f64): (bool, bool) =
  let small = x < 1.5
  let inside = 0 <= i
  in (inside && small, small && inside)

-- Sums in any order whose elements are compared with a constant.
-- ==
-- entry: clipped
-- input { [0.25, 2.0, -3.0] } output { -1.75 }
entry clipped [n] (xs: [n]f64): f64 = f64.sum (map (\x -> if 0.5 < x then 1 else x) xs)
