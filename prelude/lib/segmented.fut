-- | Arrays of segments that follow each other in one flat array. Segments are given by `lengths`, which may be 0, or by `flags`, which
-- are true where a segment begins; what comes before the first flag is a segment, too.

-- | Where each segment begins, and the end of the last.
def begins_of_lengths [s] (lengths: [s]i64): [s + 1]i64 = [0] ++ scan (+) 0 lengths :> [s + 1]i64

-- | The number of the segment of each of n elements; the lengths add up to n.
def segments_of_lengths [s] (n: i64) (lengths: [s]i64): [n]i64 =
  scan (+) 0 (hist (+) 0 n (scan (+) 0 lengths) (rep 1))

-- | A flag at the beginning of each segment that is not empty; the lengths add up to n.
def flags_of_lengths [s] (n: i64) (lengths: [s]i64): [n]bool =
  let begins = map2 (\end length -> if length == 0 then -1 else end - length) (scan (+) 0 lengths) lengths
  in spread n false begins (rep true)

-- | The lengths of the segments that begin where the flags are.
def lengths_of_flags [n] (flags: [n]bool): []i64 =
  let [s] (begins: [s]i64) = filter (\i -> i == 0 || flags[i]) (iota n)
  in tabulate s (\i -> (if i + 1 < s then begins[i + 1] else n) - begins[i])

-- | The sums, by `op`, of the elements up to each one in its segment.
def segmented_scan 't [n] (op: t -> t -> t) (ne: t) (flags: [n]bool) (xs: [n]t): [n]t =
  let both (a, f) (b, g) = (if g then b else op a b, f || g)
  in map (.0) (scan both (ne, false) (zip xs flags))

-- | The sum, by `op`, of each segment; that of an empty one is `ne`.
def segmented_reduce 't [n] [s] (op: t -> t -> t) (ne: t) (lengths: [s]i64) (xs: [n]t): [s]t =
  let sums = segmented_scan op ne (flags_of_lengths n lengths) xs
  in map2 (\end length -> if length == 0 then ne else sums[end - 1]) (scan (+) 0 lengths) lengths

-- | In each segment k bins, which start as `ne` and combine the values of their index by `op`, which must not mind the order. Indices
-- outside of 0 to k - 1 are ignored.
def segmented_hist 't [n] [s] (op: t -> t -> t) (ne: t) (k: i64) (lengths: [s]i64) (is: [n]i64) (xs: [n]t): [s][k]t =
  reduce_by_index_2d (replicate s (replicate k ne)) op ne (zip (segments_of_lengths n lengths) is) xs

-- | The same into given bins, whose values take part once.
def segmented_reduce_by_index 't [n] [s] [k] (bins: *[s][k]t) (op: t -> t -> t) (ne: t) (lengths: [s]i64) (is: [n]i64)
                              (xs: [n]t): *[s][k]t =
  reduce_by_index_2d bins op ne (zip (segments_of_lengths n lengths) is) xs

-- | 0, 1, 2 and so on in each segment.
def segmented_iota [n] (flags: [n]bool): [n]i64 =
  map (\x -> x - 1) (segmented_scan (+) 0 flags (replicate n 1))

-- | The number i as often as `counts[i]` says.
def replicated_iota [s] (counts: [s]i64): []i64 = segments_of_lengths (i64.sum counts) counts

-- | Each element as often as its count says.
def replicated 't [s] (counts: [s]i64) (xs: [s]t): []t = map (\i -> xs[i]) (replicated_iota counts)

-- The number of an element and of its place in the segment, for all elements of segments of these lengths.
local def places [s] (lengths: [s]i64): ?[n].[n](i64, i64) =
  let begins = begins_of_lengths lengths
  let n = last begins
  in map2 (\e i -> (i, e - begins[i])) (iota n) (segments_of_lengths n lengths)

-- | For each x, `get x 0` to `get x (size x - 1)`, all in one array.
def expand 'a 'b [s] (size: a -> i64) (get: a -> i64 -> b) (xs: [s]a): []b =
  map (\(i, j) -> get xs[i] j) (places (map size xs))

-- | For each x the sum, by `op`, of `get x 0` to `get x (size x - 1)`.
def expand_reduce 'a 'b [s] (size: a -> i64) (get: a -> i64 -> b) (op: b -> b -> b) (ne: b) (xs: [s]a): [s]b =
  segmented_reduce op ne (map size xs) (expand size get xs)
