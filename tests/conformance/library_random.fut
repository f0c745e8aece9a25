-- prelude/lib/random: the published numbers of each engine, the moments of the distributions, bounds that are hit, permutations.
import "/prelude/lib/random"

def numbers 's (n: i64) (draw: s -> (s, u64)) (s: s): [n]u64 =
  (loop (s, out) = (s, replicate n 0) for i < n do let (s, x) = draw s in (s, out with [i] = x)).1

-- The numbers that came with the paper and its library, word 0 low: zeros, ones, digits of pi.
-- ==
-- entry: known_threefry
-- input { } output { [0x99ba4efe6b200159u64, 0xbb002be71cb996fcu64, 0x483df7a0c4923a9cu64] }
entry known_threefry =
  [threefry.block 0 0, threefry.block u64.highest u64.highest,
   threefry.block 0x0370734413198a2e 0x85a308d3243f6a88]

-- ==
-- entry: known_philox
-- input { } output { [0xe169c58d6627e8d5u64, 0x9b00dbd8bc57ac4cu64, 0x41c83b0e408f276du64, 0x6d5451fda20bc7c6u64, 0x94fdccebd16cfe09u64, 0x24126ea15001e420u64] }
entry known_philox =
  let pairs =
    [philox.block 0 (0, 0), philox.block u64.highest (u64.highest, u64.highest),
     philox.block 0x299f31d0a4093822 (0x85a308d3243f6a88, 0x0370734413198a2e)]
  in flatten (map (\(a, b) -> [a, b]) pairs)

-- ==
-- entry: known_splitmix64
-- input { } output { [6457827717110365317u64, 3203168211198807973u64, 9817491932198370423u64, 4593380528125082431u64, 16408922859458223821u64] }
entry known_splitmix64 = numbers 5 splitmix64.draw (splitmix64.from_seed 1234567)

-- ==
-- entry: known_xoshiro256
-- input { } output { [11520u64, 0u64, 1509978240u64, 1215971899390074240u64, 1216172134540287360u64, 607988272756665600u64] }
entry known_xoshiro256 = numbers 6 xoshiro256.draw (1, 2, 3, 4)

-- ==
-- entry: known_pcg32
-- input { } output { [0xa15c02b77b47f409u64, 0xba1d333083d2f293u64, 0xbfa4784bcbed606eu64] }
entry known_pcg32 = numbers 3 pcg32.draw (pcg32.in_stream 54 42)

-- For each engine: after a seed and after a split, as many ones as zeros in every bit, and no number twice.
module checked (E: engine) = {
  module integers = random_integers E u64

  def balanced [n] (xs: [n]u64): bool =
    let ones b = i64.sum (map (\x -> i64.i32 (u64.get_bit b x)) xs)
    in all (\b -> i64.abs (2 * ones b - n) < 5 * i64.f64 (f64.sqrt (f64.i64 n))) (map i32.i64 (iota 64))

  def distinct [n] (xs: [n]u64): bool =
    and (map (\i -> all (\j -> i == j || xs[i] != xs[j]) (iota n)) (iota n))

  def good (n: i64): bool =
    let in_a_row = numbers n E.draw (E.from_seed 7)
    let of_seeds = map (\i -> (E.draw (E.from_seed (u64.i64 i * 0x100000001))).1) (iota n)
    let of_states = map (\s -> (E.draw s).1) (E.split n (E.from_seed 7))
    in all (\xs -> balanced xs && distinct xs) [in_a_row, of_seeds, of_states] && distinct (in_a_row ++ of_states)
}

module checked_threefry = checked threefry
module checked_philox = checked philox
module checked_splitmix64 = checked splitmix64
module checked_xoshiro256 = checked xoshiro256
module checked_pcg32 = checked pcg32

-- ==
-- entry: engines
-- input { 50i64 } output { [true, true, true, true, true] }
entry engines (n: i64) =
  [checked_threefry.good n, checked_philox.good n, checked_splitmix64.good n, checked_xoshiro256.good n, checked_pcg32.good n]

module integers_i8 = random_integers threefry i8
module integers_u64 = random_integers xoshiro256 u64
module integers_f16 = random_reals pcg32 f16

-- All numbers within the bounds come about as often, at the ends of the type, too.
-- ==
-- entry: integers
-- input { -128i8 -123i8 1200i64 } output { true }
-- input { 122i8 127i8 1200i64 } output { true }
-- input { -128i8 127i8 2560i64 } output { true }
-- input { 5i8 5i8 10i64 } output { true }
entry integers (least: i8) (greatest: i8) (n: i64): bool =
  let (_, xs) = many n (integers_i8.uniform least greatest) (from_seed 1)
  let k = i64.i8 greatest - i64.i8 least + 1
  let counts = hist (+) 0 k (map (\x -> i64.i8 x - i64.i8 least) xs) (replicate n 1)
  let mean = f64.i64 n / f64.i64 k
  in all (\c -> f64.abs (f64.i64 c - mean) <= 5 * f64.sqrt mean) counts && i64.sum counts == n

-- Three quarters of the range: without rejection a third of the numbers would come twice as often.
-- ==
-- entry: unbiased
-- input { 1000i64 } output { true true }
entry unbiased (n: i64) =
  let bound = 3 << 62u64
  let (_, xs) = many n (below bound) (from_seed 3)
  let third x = i64.u64 (x >> 62)
  let counts = hist (+) 0 3 (map third xs) (replicate n 1)
  let (_, whole) = integers_u64.uniform 0 u64.highest (xoshiro256.from_seed 5)
  in (all (\c -> i64.abs (3 * c - n) < 200) counts && all (< bound) xs, whole > 1 << 40)

-- Mean, deviation, skewness and excess of what should have the standard normal distribution.
def near (bound: f64) (a: f64) (b: f64): bool = f64.abs (a - b) < bound
def moment [n] (k: f64) (xs: [n]f64): f64 = f64.sum (map (** k) xs) / f64.i64 n

-- ==
-- entry: distributions
-- input { 3000i64 } output { [true, true, true, true, true, true, true, true, true, true, true] }
entry distributions (n: i64) =
  let s = from_seed 11
  let (s, us) = many n (random_f64.uniform 2 4) s
  let (s, ns) = many n (random_f64.normal 0 1) s
  let (s, es) = many n (random_f64.exponential 2) s
  let (s, ls) = many n (random_f64.lognormal 0 0.5) s
  let (s, fs) = many n random_f32.fraction s
  let (s, bs) = many n (random_f64.bernoulli 0.25) s
  let (_, cs) = many n coin s
  in [ near 0.05 (moment 1 us) 3, f64.minimum us >= 2 && f64.maximum us < 4, near 0.08 (moment 1 ns) 0, near 0.1 (moment 2 ns) 1,
       near 0.2 (moment 3 ns) 0, near 0.6 (moment 4 ns) 3, near 0.04 (moment 1 es) 0.5 && f64.minimum es >= 0,
       near 0.05 (moment 1 ls) (f64.exp 0.125), all (\f -> f >= 0 && f < 1) fs && near 0.04 (moment 1 (map f64.f32 fs)) 0.5,
       near 0.04 (moment 1 (map f64.bool bs)) 0.25, near 0.04 (moment 1 (map f64.bool cs)) 0.5 ]

-- All numbers of few bits come about: 0 does, 1 does not.
-- ==
-- entry: halves
-- input { 5000i64 } output { true }
entry halves (n: i64): bool =
  let (_, xs) = (loop (s, out) = (pcg32.from_seed 1, replicate n 0f16) for i < n do let (s, x) = integers_f16.fraction s in (s, out with [i] = x))
  in f16.minimum xs == 0 && f16.maximum xs < 1 && f16.maximum xs > 0.999

-- Every order of three elements, and every element as a sample, as often as the others.
-- ==
-- entry: orders
-- input { 600i64 } output { true true }
entry orders (n: i64) =
  let (s, all_orders) = many n (shuffle [0i64, 1, 2]) (from_seed 2)
  let (_, samples) = many n (sample 1 [0i64, 1, 2, 3]) s
  let counts = hist (+) 0 27 (map (\o -> o[0] * 9 + o[1] * 3 + o[2]) all_orders) (replicate n 1)
  let heads = hist (+) 0 4 (flatten samples :> [n]i64) (replicate n 1)
  in (all (\c -> c == 0 || i64.abs (6 * c - n) < 300) counts && i64.sum (map (\c -> i64.bool (c > 0)) counts) == 6,
      all (\c -> i64.abs (4 * c - n) < 250) heads)

-- ==
-- entry: permuted
-- input { 1000i64 } output { true true }
-- input { 0i64 } output { true false }
entry permuted (n: i64) =
  let (_, p) = permutation n (from_seed 4)
  in (and (map2 (==) (hist (+) 0 n p (replicate n 1i64)) (replicate n 1)), any (\i -> p[i] != i) (iota n))

-- The same seed, the same numbers.
-- ==
-- entry: again
-- input { 12u64 } output { true }
entry again (seed: u64): bool =
  (random_f64.normal 0 1 (from_seed seed)).1 == (random_f64.normal 0 1 (from_seed seed)).1
