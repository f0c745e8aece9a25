-- Merge sort by ranks, bottom up, with an arbitrary order; stable.
def rank_in 't [n] (before: t -> t -> bool) (x: t) (xs: [n]t): i64 =
  let (lo, _) =
    loop (lo, hi) = (0, n) while lo < hi do
      let mid = (lo + hi) / 2
      in if before xs[mid] x then (mid + 1, hi) else (lo, mid)
  in lo

def merge [n] [m] 't (leq: t -> t -> bool) (a: [n]t) (b: [m]t): *[n + m]t =
  let ia = map2 (\i x -> i + rank_in (\y x -> !(leq x y)) x b) (indices a) a
  let ib = map2 (\i x -> i + rank_in leq x a) (indices b) b
  let all = a ++ b
  in scatter (copy all) (ia ++ ib) all

def merge_sort [n] 't (leq: t -> t -> bool) (xs: [n]t): [n]t =
  (loop (ys, w) = (copy xs, 1) while w < n do
     let blocks = (n + 2 * w - 1) / (2 * w)
     in (loop ys for b < blocks do
           let lo = b * 2 * w
           let mid = i64.min n (lo + w)
           let hi = i64.min n (lo + 2 * w)
           let part = merge leq ys[lo:mid] ys[mid:hi] :> [hi - lo]t
           in ys with [lo:hi] = part,
         w * 2)).0

-- ==
-- entry: ints
-- input { [5i32,-1i32,3i32,3i32,0i32,9i32,2i32] } output { [-1i32, 0i32, 2i32, 3i32, 3i32, 5i32, 9i32] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- input { [1i32] } output { [1i32] }
entry ints (xs: []i32) = merge_sort (<=) xs
-- ==
-- entry: stable
-- input { [3u8,1u8,3u8,2u8,1u8,1u8] } output { [1u8, 1u8, 1u8, 2u8, 3u8, 3u8] [1i64, 4i64, 5i64, 3i64, 0i64, 2i64] }
entry stable [n] (ks: [n]u8) = zip ks (iota n) |> merge_sort (\a b -> a.0 <= b.0) |> unzip
-- ==
-- entry: floats
-- input { [2.5, -0.0, 0.0, f64.inf, -f64.inf, 1.5] } output { [-f64.inf, -0.0f64, 0.0f64, 1.5f64, 2.5f64, f64.inf] }
entry floats (xs: []f64) = merge_sort (f64.<=) xs
