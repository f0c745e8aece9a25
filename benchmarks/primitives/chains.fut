-- chains.fut - loops where each iteration continues the one before it with a small part of its work.

def mixed (x: u32): u32 =
  let x = (x ^ (x >> 16)) * 0x7feb352d
  let x = (x ^ (x >> 15)) * 0x846ca68b
  in x ^ (x >> 16)

-- Sums of the first hashes.
-- ==
-- entry: hashes
-- input { [1u32, 2u32, 3u32, 4u32] } output { [1753845952u32, 966570561u32, 2374933534u32, 1728903919u32] }
-- notest compiled random input { [1000000]u32 }
entry hashes [n] (xs: [n]u32): [n]u32 = scan (+) 0 (map mixed xs)

-- A signal through a filter that feeds its output back, and the energy of what comes out.
-- ==
-- entry: echo
-- input { [1f64, 0f64, 2f64, -1f64] } output { 0.08754526582701115f64 }
-- notest compiled random input { [1000000]f64 }
entry echo [n] (xs: [n]f64): f64 =
  (loop (y, energy) = (0, 0) for x in xs do
     let strength = f64.exp (-x * x) * x / (1 + x * x)
     let y = 0.9 * y + strength
     in (y, energy + y * y)).1

-- The mean and the greatest of what was seen so far.
-- ==
-- entry: running
-- input { [3f64, 1f64, 5f64] } output { 1.9782058903800412f64 }
-- notest compiled random input { [1000000]f64 }
entry running [n] (xs: [n]f64): f64 =
  let values = map (\x -> f64.log (1 + x * x)) xs
  let sums = scan (+) 0 values
  let greatest = scan f64.max (-f64.inf) values
  in f64.sum (map3 (\s g i -> g - s / f64.i64 (i + 1)) sums greatest (iota n))

-- The likelihood of returns whose variance depends on those before.
-- ==
-- entry: volatility
-- input { [0.1f64, -0.2f64, 0.05f64] } output { -4.173673211925263f64 }
-- notest compiled random input { [1000000]f64 }
entry volatility [n] (returns: [n]f64): f64 =
  (loop (variance, before, l) = (0.01, 0, 0) for r in returns do
     let variance = 0.001 + 0.1 * before * before + 0.85 * variance
     in (variance, r, l + 0.5 * (f64.log variance + r * r / variance))).2

-- The place of the block whose hash has the most zeros in front.
-- ==
-- entry: mined
-- input { 3i64 10i64 } output { 2i64 }
-- notest compiled input { 100000i64 64i64 }
entry mined (n: i64) (rounds: i64): i64 =
  let zeros (i: i64) =
    u32.clz (loop h = u32.i64 i for r < rounds do mixed (h + u32.i64 r))
  in (reduce (\(a, i) (b, j) -> if a >= b then (a, i) else (b, j)) (-1, -1) (map (\i -> (zeros i, i)) (iota n))).1

-- Which of the first numbers reach 1 after how many steps: the sum, the most, and how many take more than 50.
-- ==
-- entry: long_ways
-- input { 10i64 } output { [67i64, 19i64, 0i64] }
-- notest compiled input { 100000i64 }
entry long_ways (n: i64): [3]i64 =
  let steps (i: i64) = (loop (u, c) = (i + 1, 0) while u > 1 do (if u % 2 == 0 then u / 2 else 3 * u + 1, c + 1)).1
  let ways = map steps (iota n)
  in [i64.sum ways, i64.maximum ways, length (filter (> 50) ways)]

-- Where each row of hashes is greatest.
-- ==
-- entry: greatest
-- input { 3i64 4i64 } output { [2i64, 0i64, 0i64] }
-- notest input { 1000i64 1000i64 }
entry greatest (n: i64) (m: i64): [n]i64 =
  tabulate n (\i ->
    (loop (at, best) = (0, 0u32) for j < m do
       let h = mixed (u32.i64 (i * m + j))
       in if h > best then (j, h) else (at, best)).0)
