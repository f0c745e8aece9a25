-- Breadth-first search over a graph in compressed rows; frontier expansion by scan.
type graph [n] [m] = {offsets: [n]i64, targets: [m]i64}

def degree [n] [m] (g: graph [n] [m]) (v: i64): i64 =
  (if v + 1 < n then g.offsets[v + 1] else m) - g.offsets[v]

def expand [n] [m] (g: graph [n] [m]) (frontier: []i64): []i64 =
  let degs = map (degree g) frontier
  let ends = scan (+) 0 degs
  let total = if null ends then 0 else last ends
  let starts = map2 (-) ends degs
  let owner = reduce_by_index (replicate total (-1)) i64.max (-1)
                (map2 (\s d -> if d == 0 then -1 else s) starts degs)
                (indices frontier)
              |> scan i64.max (-1)
  in map2 (\o k -> g.targets[g.offsets[frontier[o]] + k - starts[o]]) owner (iota total)

def bfs [n] [m] (g: graph [n] [m]) (s: i64): [n]i64 =
  let dist = tabulate n (\i -> if i == s then 0 else -1)
  let (dist, _, _) =
    loop (dist, frontier, level) = (dist, [s], 0) while length frontier > 0 do
      let next = expand g frontier |> filter (\v -> dist[v] < 0)
      let dist = scatter (copy dist) next (map (const (level + 1)) next)
      let first = reduce_by_index (replicate n i64.highest) i64.min i64.highest next (indices next)
      let next = zip next (indices next) |> filter (\(v, i) -> first[v] == i) |> map (.0)
      in (dist, next, level + 1)
  in dist

-- ==
-- entry: distances
-- input { [0i64, 2i64, 4i64, 5i64, 5i64, 6i64] [1i64, 2i64, 3i64, 0i64, 3i64, 5i64, 4i64] 0i64 }
-- output { [0i64, 1i64, 1i64, 2i64, -1i64, -1i64] }
-- input { [0i64, 2i64, 4i64, 5i64, 5i64, 6i64] [1i64, 2i64, 3i64, 0i64, 3i64, 5i64, 4i64] 4i64 }
-- output { [-1i64, -1i64, -1i64, -1i64, 0i64, 1i64] }
-- input { [0i64] empty([0]i64) 0i64 } output { [0i64] }
entry distances [n] [m] (offsets: [n]i64) (targets: [m]i64) (s: i64) = bfs {offsets, targets} s

-- ==
-- entry: reach
-- input { 5i64 } output { [7i64, 6i64, 7i64, 10i64, 10i64] }
entry reach (n: i64) =
  let g = {offsets = map (* 2) (iota n), targets = tabulate (n * 2) (\i -> (i * 7 + 1) % n)}
  in map (bfs g >-> map (i64.max 0) >-> i64.sum) (iota n)
