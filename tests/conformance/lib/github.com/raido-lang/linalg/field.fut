-- | Module types for the numbers that linear algebra is done with, and instances of them.

-- | Numbers with the four operations.
module type field = {
  type t
  val zero: t
  val one: t
  val +: t -> t -> t
  val -: t -> t -> t
  val *: t -> t -> t
  val /: t -> t -> t
  val neg: t -> t
  val ==: t -> t -> bool
  val from_i64: i64 -> t
}

-- | A field whose elements have a size, so that pivots can be compared and roots taken.
module type normed_field = {
  include field
  -- | The type of sizes.
  type m
  val magnitude: t -> m
  val sqrt: t -> t
  val larger: m -> m -> bool
  val scale: m -> t -> t
  val null: m
}

-- | The floating-point numbers as a normed field.
module mk_real_field (R: real): normed_field with t = R.t with m = R.t = {
  type t = R.t
  type m = R.t
  def zero = R.i64 0
  def one = R.i64 1
  def (+) (x: t) (y: t): t = x R.+ y
  def (-) (x: t) (y: t): t = x R.- y
  def (*) (x: t) (y: t): t = x R.* y
  def (/) (x: t) (y: t): t = x R./ y
  def neg (x: t): t = R.neg x
  def (==) (x: t) (y: t): bool = x R.== y
  def from_i64 (n: i64): t = R.i64 n
  def magnitude (x: t): m = R.abs x
  def sqrt (x: t): t = R.sqrt x
  def larger (x: m) (y: m): bool = x R.> y
  def scale (s: m) (x: t): t = s R.* x
  def null: m = R.i64 0
}

-- | Complex numbers over a floating-point type.
module mk_complex (R: real): {
  include normed_field with m = R.t
  val mk: R.t -> R.t -> t
  val re: t -> R.t
  val im: t -> R.t
  val conj: t -> t
} = {
  type t = {re: R.t, im: R.t}
  type m = R.t
  def mk (re: R.t) (im: R.t): t = {re, im}
  def re (z: t): R.t = z.re
  def im (z: t): R.t = z.im
  def conj (z: t): t = z with im = R.neg z.im
  def from_i64 (n: i64): t = {re = R.i64 n, im = R.i64 0}
  def zero: t = {re = R.i64 0, im = R.i64 0}
  def one: t = {re = R.i64 1, im = R.i64 0}
  def neg (z: t): t = {re = R.neg z.re, im = R.neg z.im}
  def (==) (a: t) (b: t): bool = a.re R.== b.re && a.im R.== b.im
  def (+) (a: t) (b: t): t = R.({re = a.re + b.re, im = a.im + b.im})
  def (-) (a: t) (b: t): t = R.({re = a.re - b.re, im = a.im - b.im})
  def (*) (a: t) (b: t): t = R.({re = a.re * b.re - a.im * b.im, im = a.re * b.im + a.im * b.re})
  def (/) (a: t) (b: t): t =
    let d = R.(b.re * b.re + b.im * b.im)
    in R.({re = (a.re * b.re + a.im * b.im) / d, im = (a.im * b.re - a.re * b.im) / d})
  def magnitude (z: t): m = R.hypot z.re z.im
  def larger (x: m) (y: m): bool = x R.> y
  def scale (s: m) (z: t): t = {re = s R.* z.re, im = s R.* z.im}
  def null: m = R.i64 0
  def sqrt (z: t): t =
    let r = magnitude z
    let half = R.from_fraction 1 2
    let a = R.sqrt (half R.* (r R.+ R.abs z.re))
    let b = if a R.== R.i64 0 then R.i64 0 else half R.* R.abs z.im R./ a
    let (x, y) = if z.re R.>= R.i64 0 then (a, b) else (b, a)
    in {re = x, im = if z.im R.< R.i64 0 then R.neg y else y}
}

-- | Whole numbers modulo a prime.
module mk_modular (P: { val prime: i64 }): field with t = i64 = {
  type t = i64
  def zero: t = 0
  def one: t = 1
  def from_i64 (n: i64): t = n % P.prime
  def (+) (x: t) (y: t): t = from_i64 (x i64.+ y)
  def (-) (x: t) (y: t): t = from_i64 (x i64.- y)
  def (*) (x: t) (y: t): t = from_i64 (x i64.* y)
  def neg (x: t): t = from_i64 (i64.neg x)
  def (==) (x: t) (y: t): bool = x i64.== y
  -- Fermat: the inverse is the power prime - 2.
  def inverse (x: t): t =
    (loop (acc, base, e) = (one, x, P.prime i64.- 2) while e i64.> 0 do
       (if e i64.% 2 i64.== 1 then acc * base else acc, base * base, e i64./ 2)).0
  def (/) (x: t) (y: t): t = x * inverse y
}
