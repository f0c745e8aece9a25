-- | Sorting: by the digits of a key, for all number types, and by merging, for any order. All of it is stable: what is equal stays in
-- its order. Sorted values are the given ones by a permutation, and their derivatives pass through it.

local def gather 't [n] [k] (xs: [n]t) (is: [k]i64): [k]t = map (\i -> xs[i]) is

-- | How many elements at the beginning of `xs` satisfy `before`, if none that does comes after one that does not. Of a sorted array,
-- `rank (< x) xs` is the first place where x can go and `rank (<= x) xs` the last.
def rank 't [n] (before: t -> bool) (xs: [n]t): i64 =
  let (low, _) =
    loop (low, high) = (0, n) while low < high do
      let middle = low + (high - low) / 2
      in if before xs[middle] then (middle + 1, high) else (low, middle)
  in low

-- | Every element is `leq` the next one.
def is_sorted_by 't [n] (leq: t -> t -> bool) (xs: [n]t): bool =
  all (\i -> i == 0 || leq xs[i - 1] xs[i]) (iota n)

-- | The permutation that sorts by merging: the number of the first element comes first. `leq` says of all pairs which may come before
-- which. The work is n log n log n.
def argsort_by 't [n] (leq: t -> t -> bool) (xs: [n]t): [n]i64 =
  let (order, _) =
    -- Runs of `width` are sorted; each element goes where its run and the rank in its neighbour's say.
    loop (order, width) = (iota n, 1) while width < n do
      let place p =
        let begin = p / (2 * width) * (2 * width)
        let middle = i64.min n (begin + width)
        let end = i64.min n (middle + width)
        let x = xs[order[p]]
        in if p < middle
           then p + rank (\q -> !(leq x xs[q])) order[middle:end]
           else p - (middle - begin) + rank (\q -> leq xs[q] x) order[begin:middle]
      in (scatter (replicate n 0) (tabulate n place) order, 2 * width)
  in order

-- | Sorted by merging.
def sort_by 't [n] (leq: t -> t -> bool) (xs: [n]t): [n]t = gather xs (argsort_by leq xs)

-- | Sorted by merging, by what `key` gives for an element.
def sort_by_key 't 'k [n] (key: t -> k) (leq: k -> k -> bool) (xs: [n]t): [n]t = gather xs (argsort_by leq (map key xs))

-- | Two sorted arrays as one; of equal elements those of the first come first.
def merge 't [n] [m] (leq: t -> t -> bool) (xs: [n]t) (ys: [m]t): [n + m]t =
  let places_of_xs = map2 (\i x -> i + rank (\y -> !(leq x y)) ys) (iota n) xs
  let places_of_ys = map2 (\i y -> i + rank (\x -> leq x y) xs) (iota m) ys
  in gather (xs ++ ys) (scatter (replicate (n + m) 0) (places_of_xs ++ places_of_ys) (iota (n + m)))

-- | A type whose order is that of an unsigned integer.
module type ordered = {
  type t
  -- | How many of the low bits of `order` count.
  val bits: i64
  val order: t -> u64
}

-- | The order of an integer type.
module integer_order (I: integral): ordered with t = I.t = {
  type t = I.t
  def bits = i64.i32 I.num_bits
  local def least: u64 = u64.i64 (I.to_i64 I.lowest)
  def order (x: t): u64 = u64.i64 (I.to_i64 x) - least
}

-- | The order of a float type, of which U is the unsigned type as wide: -0 comes before 0, and what is no number at the end.
module float_order (F: float) (U: integral with t = F.int_t): ordered with t = F.t = {
  type t = F.t
  def bits = i64.i32 U.num_bits
  local def sign: u64 = 1 << u64.i64 (bits - 1)
  def order (x: t): u64 =
    let pattern = u64.i64 (U.to_i64 (F.to_bits x))
    in if F.isnan x then u64.highest else if pattern & sign == 0 then pattern | sign else !pattern
}

-- Blocks are counted and moved by one thread each.
local def block: i64 = 256
local def digit_bits: i64 = 4
local def digits: i64 = 16

-- | Sorting by the digits of a key: the work is n for each four bits.
module radix (K: ordered) = {
  local def pass [n] (shift: i64) (keys: [n]u64) (order: [n]i64): *([n]u64, [n]i64) =
    let blocks = (n + block - 1) / block
    let digit key = i64.u64 ((key >> u64.i64 shift) & u64.i64 (digits - 1))
    let end b = i64.min n ((b + 1) * block)
    let count b =
      loop counts = replicate digits 0 for i in b * block..<end b do
        let d = digit keys[i]
        in counts with [d] = counts[d] + 1
    let counts = tabulate blocks count
    -- Where the first element of each block with each digit goes.
    let begins = transpose (unflatten (exscan (+) 0 (flatten (transpose counts)))) :> [blocks][digits]i64
    let place b =
      let places = replicate block n
      let (places, _) =
        loop (places, next) = (places, copy begins[b]) for i in b * block..<end b do
          let d = digit keys[i]
          in (places with [i - b * block] = next[d], next with [d] = next[d] + 1)
      in places
    let places = take n (flatten (tabulate blocks place))
    in (scatter (replicate n 0) places keys, scatter (replicate n 0) places order)

  -- | The permutation that sorts.
  def argsort [n] (xs: [n]K.t): [n]i64 =
    let (_, order) =
      loop (keys, order) = (map K.order xs, iota n) for p < (K.bits + digit_bits - 1) / digit_bits do
        pass (p * digit_bits) keys order
    in order

  -- | Sorted.
  def sort [n] (xs: [n]K.t): [n]K.t = gather xs (argsort xs)

  -- | The elements in the order of what `key` gives for them.
  def sort_by_key 't [n] (key: t -> K.t) (xs: [n]t): [n]t = gather xs (argsort (map key xs))
}

module radix_i8 = radix (integer_order i8)
module radix_i16 = radix (integer_order i16)
module radix_i32 = radix (integer_order i32)
module radix_i64 = radix (integer_order i64)
module radix_u8 = radix (integer_order u8)
module radix_u16 = radix (integer_order u16)
module radix_u32 = radix (integer_order u32)
module radix_u64 = radix (integer_order u64)
module radix_f16 = radix (float_order f16 u16)
module radix_f32 = radix (float_order f32 u32)
module radix_f64 = radix (float_order f64 u64)
