-- Iterative FFT on a functor of complex numbers; inverse undoes it.
module type complex = {
  type real
  type t
  val mk: real -> real -> t
  val parts: t -> (real, real)
  val +: t -> t -> t
  val -: t -> t -> t
  val *: t -> t -> t
  val scale: real -> t -> t
  val conj: t -> t
  val cis: real -> t
}

module mk_complex (T: real): complex with real = T.t = {
  type real = T.t
  type t = {re: T.t, im: T.t}
  def mk re im: t = {re, im}
  def parts (c: t) = (c.re, c.im)
  def (a: t) + (b: t): t = T.({re = a.re + b.re, im = a.im + b.im})
  def (a: t) - (b: t): t = T.({re = a.re - b.re, im = a.im - b.im})
  def (a: t) * (b: t): t = T.({re = a.re * b.re - a.im * b.im, im = a.re * b.im + a.im * b.re})
  def scale s (c: t): t = {re = s T.* c.re, im = s T.* c.im}
  def conj (c: t): t = c with im = T.neg c.im
  def cis a = mk (T.cos a) (T.sin a)
}

module fft (T: real) = {
  module c = mk_complex T

  def bit_reverse (bits: i64) (i: i64) =
    (loop (r, i) = (0, i) for _k < bits do ((r << 1) | (i & 1), i >> 1)).0

  def transform [n] (sign: T.t) (xs: [n]c.t): [n]c.t =
    let bits = i64.i32 (63 - i64.clz n)
    let xs = map (\i -> xs[bit_reverse bits i]) (iota n)
    in loop xs for s < bits do
         let half = 1 << s
         let tw (k: i64) = c.cis (T.(sign * pi * i64 k / i64 half))
         in map (\i ->
                   let k = i & (half - 1)
                   let lo = i & !half
                   let x = xs[lo]
                   let y = c.(tw k * xs[lo | half])
                   in if i == lo then c.(x + y) else c.(x - y))
              (iota n)

  def fft [n] (xs: [n]c.t) = transform (T.i64 (-1)) xs
  def ifft [n] (xs: [n]c.t) = map (c.scale (T.(i64 1 / i64 n))) (transform (T.i64 1) xs)
}

module f = fft f64
module g = fft f32
-- ==
-- entry: forward
-- input { [1.0, 2.0, 3.0, 4.0, 0.0, 0.0, -1.0, 0.5] }
-- output { [9.5f64, -0.060660171779820526f64, -1.0000000000000002f64, 2.0606601717798214f64, -3.5f64, 2.060660171779821f64,
--   -0.9999999999999999f64, -0.06066017177982186f64] [0.0f64, -7.889087296526011f64, 2.5f64, 0.11091270347398918f64, 0.0f64,
--   -0.11091270347398874f64, -2.5f64, 7.889087296526011f64] }
-- input { [1.0] } output { [1.0f64] [0.0f64] }
entry forward [n] (xs: [n]f64) = map (\x -> f.c.mk x 0) xs |> f.fft |> map f.c.parts |> unzip

-- ==
-- entry: there_and_back
-- input { [1f32, 2f32, 3f32, 4f32] } output { [1.0f32, 2.0f32, 3.0f32, 4.0f32] }
entry there_and_back [n] (xs: [n]f32) =
  map (`g.c.mk` 0) xs |> g.fft |> g.ifft |> map (g.c.parts >-> (.0))
