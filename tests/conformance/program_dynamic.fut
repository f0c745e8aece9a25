-- Longest increasing subsequence, coin change, subset sums, travelling salesman over bit masks, optimal chains.
def lis [n] (xs: [n]i32): i64 =
  let (tails, len) =
    loop (tails, len) = (replicate n 0, 0) for x in xs do
      let (lo, _) =
        loop (lo, hi) = (0, len) while lo < hi do
          let m = (lo + hi) / 2 in if tails[m] < x then (m + 1, hi) else (lo, m)
      in (tails with [lo] = x, i64.max len (lo + 1))
  in len + 0 * i64.i32 (i32.sum tails)

def coins [k] (cs: [k]i64) (target: i64): [target + 1]i64 =
  loop ways = replicate (target + 1) 0 with [0] = 1 for c in cs do
    loop ways for v in c ... i64.max c target do
      if v <= target then ways with [v] = ways[v] + ways[v - c] else ways

def tsp [n] (d: [n][n]i32): i32 =
  let full = (1 << n) - 1
  let big = 1000000i32
  let dp =
    loop dp = replicate (full + 1) (replicate n big) with [1, 0] = 0 for mask in 1 ..< full + 1 do
      let row = copy dp[mask]
      in loop dp for next < n do
           if (mask >> next) & 1 == 1
           then dp
           else let best = i32.minimum (map (\last -> row[last] + d[last, next]) (iota n))
                let to = mask | (1 << next)
                in dp with [to, next] = i32.min dp[to, next] best
  in i32.minimum (map (\last -> dp[full, last] + d[last, 0]) (iota n))

def chain [n] (dims: [n]i64): i64 =
  let m = n - 1
  let cost =
    loop cost = replicate m (replicate m 0) for len in 2 ..< m + 1 do
      loop cost for i < m - len + 1 do
        let j = i + len - 1
        in cost
           with [i, j] =
             i64.minimum
               (map (\k -> cost[i, k] + cost[k + 1, j] + dims[i] * dims[k + 1] * dims[j + 1])
                  (i..<j))
  in cost[0, m - 1]

-- ==
-- entry: all
-- input { [3i32,1i32,4i32,1i32,5i32,9i32,2i32,6i32] [1i64,2i64,5i64] 11i64 }
-- output { 4i64 [1i64, 1i64, 2i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64, 8i64, 10i64, 11i64] }
-- input { empty([0]i32) [7i64] 3i64 } output { 0i64 [1i64, 0i64, 0i64, 0i64] }
entry all [n] [k] (xs: [n]i32) (cs: [k]i64) (t: i64) = (lis xs, coins cs t)
-- ==
-- entry: tours
-- input { [[0i32,10i32,15i32,20i32],[10i32,0i32,35i32,25i32],[15i32,35i32,0i32,30i32],[20i32,25i32,30i32,0i32]]
--   [10i64,20i64,30i64,40i64,30i64] }
-- output { 80i32 30000i64 }
entry tours [n] [m] (d: [n][n]i32) (dims: [m]i64) = (tsp d, chain dims)
