-- Inner sizes that differ within a map: filters, iotas, loops whose arrays grow.
def primes_below (n: i64) =
  filter (\p -> p > 1 && all (\d -> p % d != 0) (2..<p)) (iota (i64.max 0 n))

-- ==
-- entry: counts
-- input { [10i64, 0i64, 3i64, 30i64] }
-- output { [4i64, 0i64, 1i64, 10i64] [17i64, 0i64, 2i64, 129i64] [7i64, -1i64, 2i64, 29i64] }
entry counts [n] (xs: [n]i64) =
  (map (\x -> length (primes_below x)) xs, map (\x -> i64.sum (primes_below x)) xs,
   map (\x -> let ps = primes_below x in if null ps then -1 else last ps) xs)

-- ==
-- entry: collatz
-- input { 9i64 }
-- output { [1i64, 2i64, 8i64, 3i64, 6i64, 9i64, 17i64, 4i64, 20i64] [1i64, 2i64, 16i64, 4i64, 16i64, 16i64, 52i64, 8i64,
--   52i64] }
entry collatz (n: i64) =
  map (\i ->
         let path =
           loop p = [i + 1] while last p != 1 do
             p ++ [if last p % 2 == 0 then last p / 2 else 3 * last p + 1]
         in (length path, reduce i64.max 0 path)) (iota n)
  |> unzip

-- ==
-- entry: triangle
-- input { 5i64 } output { [0i64, 1i64, 3i64, 7i64, 14i64] }
entry triangle (n: i64) =
  map (\i -> reduce (+) 0 (map (\j -> i64.sum (iota j)) (iota i)) + (scan (+) 0 (iota (i + 1)))[i])
    (iota n)

-- ==
-- entry: sorted_rows
-- input { [[3i32,1i32,2i32],[9i32,8i32,7i32]] } output { [[1i32, 2i32, 3i32], [7i32, 8i32, 9i32]] }
entry sorted_rows [n] [m] (a: [n][m]i32) =
  map (\r ->
         let big = filter (> 2) r
         let small = filter (<= 2) r
         in sized m (small ++ reverse big)) a
