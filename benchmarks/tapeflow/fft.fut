-- fft.fut - the fast Fourier transform by radix 2, then the weighted sum of the squared magnitudes.

import "../input"

type complex = (f64, f64)
def add (a: complex) (b: complex): complex = (a.0 + b.0, a.1 + b.1)
def sub (a: complex) (b: complex): complex = (a.0 - b.0, a.1 - b.1)
def mul (a: complex) (b: complex): complex = (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)

-- Stockham's order: no permutation; each pass joins pairs that are half the array apart.
def transform [n] (bits: i64) (x: [n]complex): [n]complex =
  loop x for s < bits do
    let width = 1 << s
    in tabulate n (\i ->
         let (block, at) = (i / (2 * width), i % (2 * width))
         let j = block * width + at % width
         let angle = -f64.pi * f64.i64 (at % width) / f64.i64 width
         let turned = mul (f64.cos angle, f64.sin angle) x[j + n / 2]
         in if at < width then add x[j] turned else sub x[j] turned)

def objective [n] (bits: i64) (w: [n]f64) (re: [n]f64, im: [n]f64): f64 =
  f64.sum (map2 (\w (a, b) -> w * (a * a + b * b)) w (transform bits (zip re im)))

def gradient [n] (bits: i64) (w: [n]f64) (x: ([n]f64, [n]f64)): ([n]f64, [n]f64) = vjp (objective bits w) x 1

def instance (bits: i64) =
  let n = 1 << bits
  in (fill (uniform 221) n, fill (uniform 222) n, fill (uniform 223) n)

-- The arguments of the two entry points below: real and imaginary part, weights, number of bits.
entry inputs (bits: i64) =
  let (re, im, w) = instance bits
  in (re, im, w, bits)

entry calculate_objective [n] (re: [n]f64) (im: [n]f64) (w: [n]f64) (bits: i64): f64 = objective bits w (re, im)
entry calculate_jacobian [n] (re: [n]f64) (im: [n]f64) (w: [n]f64) (bits: i64): ([n]f64, [n]f64) = gradient bits w (re, im)

entry check (bits: i64): (f64, f64, f64) =
  let (re, im, w) = instance bits
  let (gr, gi) = gradient bits w (re, im)
  in check_of (objective bits w (re, im)) (gr ++ gi)
-- ==
-- entry: check
-- input { 0i64 } output { 0.396397822343021 1.68734222971839 1.24319873102388 }
-- input { 4i64 } output { 159.81907168222 503.820943944473 23.202786614456 }
