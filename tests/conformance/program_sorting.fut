-- Radix sort, segmented scan and friends, in the usual library style.
def radix_step [n] 't (get_bit: i32 -> t -> i32) (digit: i32) (xs: [n]t): [n]t =
  let bins = map (get_bit digit) xs
  let flags0 = map (\b -> if b == 0 then 1i64 else 0) bins
  let flags1 = map (\b -> if b == 0 then 0i64 else 1) bins
  let scan0 = scan (+) 0 flags0
  let scan1 = scan (+) 0 flags1
  let zeros = if n == 0 then 0 else scan0[n - 1]
  let is = map3 (\b s0 s1 -> if b == 0 then s0 - 1 else zeros + s1 - 1) bins scan0 scan1
  in scatter (copy xs) is xs
def radix_sort [n] 't (num_bits: i32) (get_bit: i32 -> t -> i32) (xs: [n]t): [n]t =
  loop xs for i < num_bits do radix_step get_bit i xs
def sort_by_key [n] 't (key: t -> u32) (xs: [n]t): [n]t =
  map (.1) (radix_sort 32 (\i (k, _) -> u32.get_bit i k) (map (\x -> (key x, x)) xs))
-- ==
-- entry: sorted
-- input { [5u32, 3u32, 9u32, 1u32, 3u32] } output { [1u32, 3u32, 3u32, 5u32, 9u32] }
-- input { empty([0]u32) } output { empty([0]u32) }
entry sorted (xs: []u32) = radix_sort 32 u32.get_bit xs
-- ==
-- entry: sorted_pairs
-- input { [3u32, 1u32, 2u32] [10i32, 20i32, 30i32] } output { [1u32, 2u32, 3u32] [20i32, 30i32, 10i32] }
entry sorted_pairs [n] (ks: [n]u32) (vs: [n]i32) = unzip (sort_by_key (.0) (zip ks vs))

def segmented_scan [n] 't (op: t -> t -> t) (ne: t) (flags: [n]bool) (as: [n]t): [n]t =
  (unzip (scan (\(x_flag, x) (y_flag, y) -> (x_flag || y_flag, if y_flag then y else op x y)) (false, ne) (zip flags as))).1
def segmented_reduce [n] 't (op: t -> t -> t) (ne: t) (flags: [n]bool) (as: [n]t): []t =
  let as' = segmented_scan op ne flags as
  let segment_ends = rotate 1 flags
  let segment_end_offsets = segment_ends |> map i64.bool |> scan (+) 0
  let num_segments = if n > 0 then last segment_end_offsets else 0
  let scratch = replicate num_segments ne
  let index i f = if f then i - 1 else -1
  in scatter scratch (map2 index segment_end_offsets segment_ends) as'
-- ==
-- entry: segments
-- input { [true,false,true,true,false,false] [1i32,2i32,3i32,4i32,5i32,6i32] } output { [1i32,3i32,3i32,4i32,9i32,15i32] [3i32,3i32,15i32] }
entry segments [n] (fs: [n]bool) (xs: [n]i32) = (segmented_scan (+) 0 fs xs, segmented_reduce (+) 0 fs xs)
