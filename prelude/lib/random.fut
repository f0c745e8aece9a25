-- | Random numbers. An engine is a module; what it was and what it will give is a value, its state: drawing takes a state and gives the
-- next one with the number. For numbers in parallel, `split` makes states whose numbers have nothing to do with each other.

local module sorting = import "sort"

-- | A source of random bits.
module type engine = {
  type state

  -- | The state for a seed; other seeds give other numbers.
  val from_seed: u64 -> state

  -- | The next state, and 64 bits that are each 0 or 1 with equal chance.
  val draw: state -> (state, u64)

  -- | n independent states; the given one is not to be used any more.
  val split: (n: i64) -> state -> [n]state
}

local def low (x: u64): u32 = u32.u64 x
local def high (x: u64): u32 = u32.u64 (x >> 32)
local def joined (high: u32) (low: u32): u64 = (u64.u32 high << 32) | u64.u32 low
local def rotated_32 (x: u32) (k: u32): u32 = (x << k) | (x >> (32 - k))
local def rotated_64 (x: u64) (k: u64): u64 = (x << k) | (x >> (64 - k))

-- | Threefry with 2 words of 32 bits and 20 rounds (Salmon and others, 2011): a number is a function of a key and of how many came
-- before it. The choice if there is no reason for another: every state that splitting gives has a key of its own.
module threefry = {
  type state = {key: u64, at: u64}

  -- | The two words of a counter, in 64 bits with the first word low, enciphered by a key.
  def block (key: u64) (counter: u64): u64 =
    let keys = [low key, high key, 0x1BD11BDA ^ low key ^ high key]
    let turns = [[13u32, 15, 26, 6], [17u32, 29, 16, 24]]
    let (a, b) =
      loop (a, b) = (low counter + keys[0], high counter + keys[1]) for i < 5i64 do
        let (a, b) = loop (a, b) for j < 4i64 do let a = a + b in (a, rotated_32 b turns[i % 2, j] ^ a)
        in (a + keys[(i + 1) % 3], b + keys[(i + 2) % 3] + u32.i64 (i + 1))
    in joined b a

  def from_seed (seed: u64): state = {key = block 0 seed, at = 0}
  def draw (s: state): (state, u64) = (s with at = s.at + 1, block s.key s.at)
  def split (n: i64) (s: state): [n]state = tabulate n (\i -> {key = block s.key (s.at + u64.i64 i), at = 0})
}

-- | Philox with 4 words of 32 bits and 10 rounds (Salmon and others, 2011), the default of many libraries for GPUs.
module philox = {
  type state = {key: u64, stream: u64, at: u64}

  -- | The four words of a counter, enciphered by the two words of a key; word 0 of each is the low half of its first number.
  def block (key: u64) (counter: (u64, u64)): (u64, u64) =
    let round (k0, k1) (c0, c1, c2, c3) =
      let p = 0xD2511F53 * u64.u32 c0
      let q = 0xCD9E8D57 * u64.u32 c2
      in (high q ^ c1 ^ k0, low q, high p ^ c3 ^ k1, low p)
    let start = (low counter.0, high counter.0, low counter.1, high counter.1)
    let (_, (c0, c1, c2, c3)) =
      loop ((k0, k1), c) = ((low key, high key), start) for _i < 10i64 do
        ((k0 + 0x9E3779B9, k1 + 0xBB67AE85), round (k0, k1) c)
    in (joined c1 c0, joined c3 c2)

  def from_seed (seed: u64): state = {key = seed, stream = 0, at = 0}

  -- Each half of a block is one number.
  def draw (s: state): (state, u64) =
    let (a, b) = block s.key (s.at >> 1, s.stream)
    in (s with at = s.at + 1, if s.at & 1 == 0 then a else b)

  def split (n: i64) (s: state): [n]state =
    tabulate n (\i -> let (key, stream) = block s.key (s.at + u64.i64 i, !s.stream) in {key, stream = stream >> 1, at = 0})
}

-- | SplitMix64 (Steele, Lea and Flood, 2014): one addition and a mixer; the fastest here, with a state of 64 bits.
module splitmix64 = {
  type state = u64
  local def gamma: u64 = 0x9E3779B97F4A7C15

  -- | A permutation of the numbers of 64 bits after which similar numbers are no longer similar.
  def mix (x: u64): u64 =
    let x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9
    let x = (x ^ (x >> 27)) * 0x94D049BB133111EB
    in x ^ (x >> 31)

  def from_seed (seed: u64): state = seed
  def draw (s: state): (state, u64) = (s + gamma, mix (s + gamma))
  def split (n: i64) (s: state): [n]state = tabulate n (\i -> mix (mix (s + u64.i64 (i + 1) * gamma) + 1))
}

-- | xoshiro256** (Blackman and Vigna, 2018): a period of 2^256 - 1.
module xoshiro256 = {
  type state = (u64, u64, u64, u64)

  -- | The state is four numbers of SplitMix64.
  def from_seed (seed: u64): state =
    let (s, a) = splitmix64.draw seed
    let (s, b) = splitmix64.draw s
    let (s, c) = splitmix64.draw s
    let (_, d) = splitmix64.draw s
    in (a, b, c, d)

  def draw ((a, b, c, d): state): (state, u64) =
    let number = rotated_64 (b * 5) 7 * 9
    let (c, d) = (c ^ a, d ^ b)
    in ((a ^ d, b ^ c, c ^ (b << 17), rotated_64 d 45), number)

  def split (n: i64) (s: state): [n]state =
    let (_, number) = draw s
    in tabulate n (\i -> from_seed (splitmix64.mix (number + u64.i64 i)))
}

-- | PCG with 64 bits of state and 32 of output (O'Neill, 2014), of which two make a number.
module pcg32 = {
  type state = {state: u64, increment: u64}

  -- | The next state, and 32 random bits.
  def draw_32 (s: state): (state, u32) =
    let x = low (((s.state >> 18) ^ s.state) >> 27)
    let turn = u32.u64 (s.state >> 59)
    in (s with state = s.state * 6364136223846793005 + s.increment, (x >> turn) | (x << ((32 - turn) & 31)))

  -- | The state for a seed in one of 2^63 streams.
  def in_stream (stream: u64) (seed: u64): state =
    let s = (draw_32 {state = 0, increment = (stream << 1) | 1}).0
    in (draw_32 (s with state = s.state + seed)).0

  def from_seed (seed: u64): state = in_stream 0 seed

  def draw (s: state): (state, u64) =
    let (s, first) = draw_32 s
    let (s, second) = draw_32 s
    in (s, joined first second)

  def split (n: i64) (s: state): [n]state =
    let (s, seed) = draw s
    let (_, stream) = draw s
    in tabulate n (\i -> in_stream (splitmix64.mix (stream + u64.i64 i)) (splitmix64.mix (seed + u64.i64 i)))
}

-- | What is drawn with an engine, whatever the type of numbers.
module draws (E: engine) = {
  type state = E.state

  -- | n values, each from a state of its own, with the state to go on with.
  def many 'a (n: i64) (one: state -> (state, a)) (s: state): (state, [n]a) =
    let states = E.split (n + 1) s
    in (states[n], map (\s -> (one s).1) (take n states))

  -- | A number from 0 to bound - 1, each with equal chance; a bound of 0 stands for 2^64.
  def below (bound: u64) (s: state): (state, u64) =
    -- The high half of a product with `bound`; the low half says whether the number is one of those too many.
    let too_many = if bound == 0 then 0 else (0 - bound) %% bound
    let (s, number) =
      loop (s, number) = E.draw s while number * bound < too_many do E.draw s
    in (s, if bound == 0 then number else u64.mul_hi number bound)

  -- | True or false, with equal chance.
  def coin (s: state): (state, bool) =
    let (s, number) = E.draw s
    in (s, number >> 63 == 1)

  -- | The numbers from 0 to n - 1, every order with equal chance: sorted by random keys, of which two are the same in one of 2^65 / n n
  -- cases.
  def permutation (n: i64) (s: state): (state, [n]i64) =
    let (s, keys) = many n E.draw s
    in (s, sorting.radix_u64.argsort keys)

  -- | The elements in random order.
  def shuffle 'a [n] (xs: [n]a) (s: state): (state, [n]a) =
    let (s, order) = permutation n s
    in (s, map (\i -> xs[i]) order)

  -- | k different elements of the n.
  def sample 'a [n] (k: i64) (xs: [n]a) (s: state): (state, [k]a) =
    let (s, order) = permutation n s
    in (s, map (\i -> xs[i]) (take k order))
}

-- | Integers of a type.
module random_integers (E: engine) (I: integral) = {
  local module draws = draws E

  -- | From `least` to `greatest`, both possible, each with equal chance.
  def uniform (least: I.t) (greatest: I.t) (s: E.state): (E.state, I.t) =
    let from = u64.i64 (I.to_i64 least)
    let (s, number) = draws.below (u64.i64 (I.to_i64 greatest) - from + 1) s
    in (s, I.u64 (from + number))
}

-- | Real numbers of a type. Parameters of a distribution have derivatives: a number drawn moves with them.
module random_reals (E: engine) (R: float) = {
  type t = R.t
  local def one: t = R.i64 1
  local def two: t = R.i64 2
  -- As many bits as the type has for a number from 1 to 2.
  local def bits: u64 = if R.num_bits == 64 then 53 else if R.num_bits == 32 then 24 else 11
  local def unit: t = R.(one / u64 (1 << bits))
  local def leading (number: u64): u64 = number >> (64 - bits)

  -- | From 0 to before 1.
  def fraction (s: E.state): (E.state, t) =
    let (s, number) = E.draw s
    in (s, R.(u64 (leading number) * unit))

  -- From after 0 to 1: what has a logarithm.
  local def positive (s: E.state): (E.state, t) =
    let (s, number) = E.draw s
    in (s, R.((u64 (leading number) + one) * unit))

  -- | From `least` to `greatest`.
  def uniform (least: t) (greatest: t) (s: E.state): (E.state, t) =
    let (s, x) = fraction s
    in (s, R.(least + (greatest - least) * x))

  -- | The normal distribution, by Box's and Muller's transformation.
  def normal (mean: t) (deviation: t) (s: E.state): (E.state, t) =
    let (s, x) = positive s
    let (s, y) = fraction s
    in (s, R.(mean + deviation * (sqrt (neg two * log x) * cospi (two * y))))

  -- | A number of which the logarithm has the normal distribution.
  def lognormal (mean: t) (deviation: t) (s: E.state): (E.state, t) =
    let (s, x) = normal mean deviation s
    in (s, R.exp x)

  -- | How long it takes until something happens that happens `rate` times in a unit of time.
  def exponential (rate: t) (s: E.state): (E.state, t) =
    let (s, x) = positive s
    in (s, R.(neg (log x) / rate))

  -- | True with this chance. It has no derivative.
  def bernoulli (chance: t) (s: E.state): (E.state, bool) =
    let (s, x) = fraction s
    in (s, R.(x < chance))
}

-- | With the engine to be chosen if there is no reason for another.
open threefry
open draws threefry
module random_i32 = random_integers threefry i32
module random_i64 = random_integers threefry i64
module random_f32 = random_reals threefry f32
module random_f64 = random_reals threefry f64
