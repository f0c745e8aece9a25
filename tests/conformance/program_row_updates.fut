-- Sequential in-place code inside maps: insertion sort per row, counting per row, sieve per element.
def insertion [n] 't (lt: t -> t -> bool) (xs: *[n]t): *[n]t =
  loop xs for i < n do
    let x = copy xs[i]
    let (xs, j) =
      loop (xs, j) = (xs, i) while j > 0 && (x `lt` xs[j - 1]) do
        let prev = copy xs[j - 1]
        in (xs with [j] = prev, j - 1)
    in xs with [j] = x

-- ==
-- entry: rows
-- input { [[3i32,1i32,2i32],[9i32,8i32,7i32],[0i32,0i32,-1i32]] }
-- output { [[1i32, 2i32, 3i32], [7i32, 8i32, 9i32], [-1i32, 0i32, 0i32]] }
-- input { empty([0][3]i32) } output { empty([0][3]i32) }
entry rows [n] [m] (a: [n][m]i32) = map (\r -> insertion (<) (copy r)) a

-- ==
-- entry: counts
-- input { [[0u8,1u8,1u8],[2u8,2u8,2u8]] } output { [[1i16, 2i16, 0i16, 0i16], [0i16, 0i16, 3i16, 0i16]] }
entry counts [n] [m] (a: [n][m]u8) =
  map (\r -> loop h = replicate 4 0i16 for x in r do h with [i64.u8 x] = h[i64.u8 x] + 1) a

-- ==
-- entry: prime_counts
-- input { [10i64, 2i64, 30i64] } output { [4i64, 1i64, 10i64] }
entry prime_counts [n] (ns: [n]i64) =
  map (\k ->
         let flags =
           loop f = replicate (k + 1) true for i in 2 ... i64.max 2 k do
             if i <= k && f[i]
             then
               loop f for j in i * i .. i * i + i ... i64.max (i * i) k do
                 if j <= k then f with [j] = false else f
             else f
         in i64.sum (map i64.bool flags) - 2) ns

-- ==
-- entry: pascal
-- input { 5i64 }
-- output { [[1i32, 0i32, 0i32, 0i32, 0i32], [1i32, 1i32, 0i32, 0i32, 0i32], [1i32, 2i32, 1i32, 0i32, 0i32], [1i32, 3i32,
--   3i32, 1i32, 0i32], [1i32, 4i32, 6i32, 4i32, 1i32]] }
entry pascal (n: i64) =
  map (\i ->
         loop row = replicate n 0 with [0] = 1i32 for k < i do
           loop row for j in k + 1 .. k ... 1 do row with [j] = row[j] + row[j - 1]) (iota n)
