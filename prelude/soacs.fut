-- | The parallel operators.

import "functional"
import "array"

-- | Apply f to every element.
#[intrinsic]
def map 'a [n] 'x (f: a -> x) (as: [n]a): *[n]x = ???

#[intrinsic(zip)]
local def pairs [n] 'a 'b (as: [n]a) (bs: [n]b): *[n](a, b) = ???

def map1 'a [n] 'x (f: a -> x) (as: [n]a): *[n]x = map f as

def map2 'a 'b [n] 'x (f: a -> b -> x) (as: [n]a) (bs: [n]b): *[n]x =
  map (\(a, b) -> f a b) (pairs as bs)

def map3 'a 'b 'c [n] 'x (f: a -> b -> c -> x) (as: [n]a) (bs: [n]b) (cs: [n]c): *[n]x =
  map (\((a, b), c) -> f a b c) (pairs (pairs as bs) cs)

def map4 'a 'b 'c 'd [n] 'x (f: a -> b -> c -> d -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d): *[n]x =
  map (\((a, b), (c, d)) -> f a b c d) (pairs (pairs as bs) (pairs cs ds))

def map5 'a 'b 'c 'd 'e [n] 'x (f: a -> b -> c -> d -> e -> x)
         (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) (es: [n]e): *[n]x =
  map (\((a, b), ((c, d), e)) -> f a b c d e) (pairs (pairs as bs) (pairs (pairs cs ds) es))

-- | Combine all elements with an associative operator and its neutral element.
#[intrinsic]
def reduce [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a): a = ???

-- | As reduce; the operator is commutative, too.
#[intrinsic]
def reduce_comm [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a): a = ???

-- | All prefixes combined; element i includes the i-th input.
#[intrinsic]
def scan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a): *[n]a = ???

-- | All prefixes combined; element i excludes the i-th input.
def exscan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a): *[n]a =
  let sums = scan op ne as
  in map (\i -> if i == 0 then ne else sums[i - 1]) (iota n)

-- | Does p hold for all elements?
def all [n] 'a (p: a -> bool) (as: [n]a): bool = reduce_comm (&&) true (map p as)

-- | Does p hold for some element?
def any [n] 'a (p: a -> bool) (as: [n]a): bool = reduce_comm (||) false (map p as)

def and [n] (xs: [n]bool): bool = all id xs

def or [n] (xs: [n]bool): bool = any id xs

-- | k bins that start as ne; each value is combined into the bin of its index.
#[intrinsic]
def hist 'a [n] (op: a -> a -> a) (ne: a) (k: i64) (is: [n]i64) (as: [n]a): *[k]a = ???

-- | As hist, into an array that is given and consumed.
#[intrinsic]
def reduce_by_index 'a [k] [n] (dest: *[k]a) (op: a -> a -> a) (ne: a) (is: [n]i64) (as: [n]a): *[k]a = ???

#[intrinsic]
def reduce_by_index_2d 'a [k] [m] [n] (dest: *[k][m]a) (op: a -> a -> a) (ne: a) (is: [n](i64, i64)) (as: [n]a): *[k][m]a = ???

#[intrinsic]
def reduce_by_index_3d 'a [k] [m] [l] [n] (dest: *[k][m][l]a) (op: a -> a -> a) (ne: a) (is: [n](i64, i64, i64)) (as: [n]a): *[k][m][l]a = ???

-- | Write values at indices into an array that is consumed; what lies outside is ignored.
#[intrinsic]
def scatter 't [k] [n] (dest: *[k]t) (is: [n]i64) (vs: [n]t): *[k]t = ???

#[intrinsic]
def scatter_2d 't [k] [n] [l] (dest: *[k][n]t) (is: [l](i64, i64)) (vs: [l]t): *[k][n]t = ???

#[intrinsic]
def scatter_3d 't [k] [n] [o] [l] (dest: *[k][n][o]t) (is: [l](i64, i64, i64)) (vs: [l]t): *[k][n][o]t = ???

-- | k copies of x with values written at indices.
def spread 't [n] (k: i64) (x: t) (is: [n]i64) (vs: [n]t): *[k]t = scatter (replicate k x) is vs

-- How many flags are set up to and including each.
local def ranks [n] (flags: [n]bool): *[n]i64 = scan (+) 0 (map (\b -> if b then 1 else 0) flags)

#[intrinsic(min)] local def least (x: i64) (y: i64): i64 = ???
-- At most n, which is said for those who need a bound.
local def total [n] (sums: [n]i64): i64 = if n == 0 then 0 else least n sums[n - 1]

-- k elements like those of `as`. Their values are unspecified until the caller sets them.
#[intrinsic] local def unset [n] 'a (k: i64) (as: [n]a): *[k]a = ???

-- | The elements for which p holds.
def filter [n] 'a (p: a -> bool) (as: [n]a): ?[k].*[k]a =
  let keep = map p as
  let rank = ranks keep
  let k = total rank
  in #[distinct] scatter (unset k as) (map2 (\b r -> if b then r - 1 else -1) keep rank) as

-- | The elements for which p holds, and the others.
def partition [n] 'a (p: a -> bool) (as: [n]a): ?[k].([k]a, [n - k]a) =
  let keep = map p as
  let rank = ranks keep
  let count = total rank
  let sorted = #[distinct] scatter (unset n as) (map3 (\b r i -> if b then r - 1 else count + i - r) keep rank (iota n)) as
  let [k] (yes: [k]a) = sorted[:count]
  in (yes, sorted[k:])

-- | The elements for which p holds, those of the rest for which q holds, and the others.
def partition2 [n] 'a (p: a -> bool) (q: a -> bool) (as: [n]a): ?[k][l].([k]a, [l]a, [n - k - l]a) =
  let first = map p as
  let second = map2 (\b x -> !b && q x) first as
  let rank1 = ranks first
  let rank2 = ranks second
  let count1 = total rank1
  let count2 = total rank2
  let place b c r1 r2 i =
    if b then r1 - 1 else if c then count1 + r2 - 1 else count1 + count2 + i - r1 - r2
  let sorted = #[distinct] scatter (unset n as) (map5 place first second rank1 rank2 (iota n)) as
  let [k] (xs: [k]a) = sorted[:count1]
  let rest = sorted[k:]
  let [l] (ys: [l]a) = rest[:count2]
  in (xs, ys, rest[l:])

-- | Map with results of different lengths: segment sizes, flags of segment starts, offsets of segments, the results one after the
-- other, and what else each call gave.
def flatmap [n] 'a 'b 'c (f: a -> ?[k].([k]b, c)) (as: [n]a):
    ?[m].([n]i64, [m]bool, [n]i64, [m]b, [n]c) =
  -- What is there grows by doubling: the work is that of the calls and of the results.
  let (sizes, used, data, others) =
    loop (sizes: *[n]i64, used, data: *[]b, others: *[]c) = (replicate n 0, 0, [], []) for i < n do
      let (xs, other) = f as[i]
      let size = length xs
      let end = used + size
      in (sizes with [i] = size,
          end,
          if end <= length data
          then data with [used:end] = xs
          else data[:used] ++ xs ++ replicate end xs[0],
          if i == 0 then replicate n other else (others :> [n]c) with [i] = other)
  let offsets = exscan (+) 0 sizes
  let starts = map2 (\size offset -> if size == 0 then -1 else offset) sizes offsets
  in (sizes, scatter (replicate used false) starts (replicate n true), offsets, data[:used],
      others :> [n]c)

-- | As flatmap, where the function gives only an array.
def flatmap' [n] 'a 'b (f: a -> ?[k].[k]b) (as: [n]a): ?[m].([n]i64, [m]bool, [n]i64, [m]b) =
  let (sizes, flags, offsets, data, _) = flatmap (\a -> (f a, ())) as
  in (sizes, flags, offsets, data)
